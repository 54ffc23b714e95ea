import type { Mutant } from "../mutant.ts";

/** Bugs that reviewers found when the other tests were green, planted again. */
export const mutantsOfReviews: readonly Mutant[] = [
  {
    id: "S22",
    plants: "an attempt that was thought dead takes the chunk from its successor",
    edits: [
      {
        file: "src/state/sends.ts",
        find: "          throw attemptIsLate(runId, chunk);\n",
        replace: "          void attemptIsLate;\n",
      },
    ],
    test: {
      file: "test/activities/stage-chunk.test.ts",
      title: "leaves the chunk with its successor when an attempt wakes that was thought dead",
    },
  },
  {
    id: "S23",
    plants: "an outage that is just over is taken for a record that the service fails on",
    edits: [
      {
        file: "activities/poison.ts",
        find: "if (times > poisonTimesMax) {",
        replace: "if (times >= poisonTimesMax) {",
      },
    ],
    test: {
      file: "test/faults/poison.test.ts",
      title: "is not taken for one when the outage that it met is just over",
    },
  },
  {
    id: "S24",
    plants: "what a zombie got through leaves newer fingerprints as they are",
    edits: [
      {
        file: "src/state/receipts.ts",
        find: "if (isLost) statements.doubt.run({ runId });",
        replace: "void [runId, statements.doubt];",
      },
    ],
    test: {
      file: "test/activities/superseded.test.ts",
      title: "makes everything unknown when it wakes behind its last look",
    },
  },
];
