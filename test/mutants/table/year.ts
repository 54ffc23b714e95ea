import type { Mutant } from "../mutant.ts";

const dropChunk = "activities/stage/drop-chunk.ts";
const dropChunkTest = "test/activities/stage/drop-chunk.test.ts";

/** Mutants of what must not pile up while a project runs for a year. */
export const mutantsOfYear: readonly Mutant[] = [
  {
    id: "S1370",
    plants: "files that an attempt leaves behind its run's end stay until a worker starts",
    edits: [
      {
        file: dropChunk,
        find: "cleaning = cleanUpEnded(deps)",
        replace: "cleaning = Promise.resolve()",
      },
    ],
    test: {
      file: dropChunkTest,
      title: "go, too, where they come once the run has ended, while a worker lives",
    },
  },
  {
    id: "S1371",
    plants: "a worker that cleans up removes the files of a run that is open",
    edits: [{ file: dropChunk, find: "return run.endedAt !== null;", replace: "return true;" }],
    test: {
      file: dropChunkTest,
      title: "leaves the files of a run that is open, and all that is not a run's",
    },
  },
  {
    id: "S1372",
    plants: "files of a run that was pruned stay for ever",
    edits: [
      {
        file: dropChunk,
        find: "return (await untouchedMs(stagingFolder, runId)) > hostForgottenMs;",
        replace: "return false;",
      },
    ],
    test: {
      file: dropChunkTest,
      title:
        "removes those of a run that the store does not know, a day after they were touched last",
    },
  },
  {
    id: "S1373",
    plants: "the staged file of a line that the service refused is kept, though nobody sends it",
    edits: [
      {
        file: "src/state/store/doubts/doubt-store.ts",
        find: 'eb.and([eb("s.send", "=", eb.ref("d.send")), eb("d.isLost", "=", 0)]),',
        replace: 'eb("s.send", "=", eb.ref("d.send")),',
      },
    ],
    test: {
      file: "test/activities/doubt/refused-again.test.ts",
      title:
        "does not stop a run for a record in doubt that the service refuses by now, and says which it is",
    },
  },
];
