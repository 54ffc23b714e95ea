import type { Mutant } from "../mutant.ts";

const dropChunk = "activities/stage/drop-chunk.ts";
const traces = "src/local/traces.ts";
const tracesTest = "test/src/local/traces.test.ts";
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
  {
    id: "S1374",
    plants: "each activity of a run begins a trace of its own",
    edits: [
      { file: traces, find: "if (runId === undefined)", replace: "if (runId !== undefined)" },
    ],
    test: {
      file: tracesTest,
      title:
        "a run is one trace: itself, its activities in it, and their requests in them, without a row or a key",
    },
  },
  {
    id: "S1375",
    plants: "the span of a request that fails holds the address that it went to",
    edits: [
      {
        file: traces,
        find: 'const message = error instanceof SluiceError ? error.code : "Unexpected";',
        replace: "const message = String(error);",
      },
    ],
    test: { file: tracesTest, title: "a request without an answer says its code alone" },
  },
  {
    id: "S1376",
    plants: "the time line draws a step backwards where a later attempt ended last",
    edits: [
      {
        file: "src/cli/ui/charts.ts",
        find: "const to = Math.max(from, at);",
        replace: "const to = at;",
      },
    ],
    test: {
      file: "test/src/cli/ui/charts.test.ts",
      title:
        "draws nothing backwards where a later attempt was uploaded once the part was accepted",
    },
  },
  {
    id: "S1377",
    plants: "a part that is tried again looks as if it had waited until then",
    edits: [
      {
        file: "src/state/store/sends/receipts.ts",
        find: "leftAt: sql<number>`coalesce(left_at, ${Date.parse(at)})`,",
        replace: "leftAt: Date.parse(at),",
      },
    ],
    test: {
      file: "test/src/state/store/figures.test.ts",
      title:
        "tell when a part left first, was uploaded and was accepted, however often it was tried",
    },
  },
];
