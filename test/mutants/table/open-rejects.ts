import type { Mutant } from "../mutant.ts";

const file = "test/src/state/open-rejects.test.ts";

/** Open rejects, as the store counts them. */
export const mutantsOfOpenRejects: readonly Mutant[] = [
  {
    id: "S1260",
    plants: "a reject that a replay has read stays counted as open",
    edits: [
      {
        file: "src/state/store/rejects/replays.ts",
        find: "if (run !== undefined) await recountOpen(queries, run);",
        replace: "void [run, recountOpen];",
      },
    ],
    test: { file, title: "are those that no replay made good, in whichever run, newest run first" },
  },
  {
    id: "S1261",
    plants: "a reject of a row that is gone is open",
    edits: [
      {
        file: "src/state/store/rejects/insert-rejects.ts",
        find: 'new Set(["row_gone", refusedAgain])',
        replace: "new Set([refusedAgain])",
      },
    ],
    test: {
      file,
      title: "are not those of rows that were rejected again, that came since, or that are gone",
    },
  },
  {
    id: "S1262",
    plants: "the end of a run closes nothing",
    edits: [
      {
        file: "src/state/store/store-methods.ts",
        find: 'if (run.kind !== "pull") await closeRejects(run);',
        replace: "void closeRejects;",
      },
    ],
    test: {
      file,
      title: "are not those of rows that were rejected again, that came since, or that are gone",
    },
  },
  {
    id: "S1263",
    plants: "rejects of a chunk that was not committed are open",
    edits: [
      {
        file: "src/state/store/rejects/rejects.ts",
        find: "and s.chunk = r.chunk and s.stage = r.stage and s.state = 'committed')",
        replace: "and s.chunk = r.chunk and s.stage = r.stage)",
      },
    ],
    test: { file, title: "are not among a chunk that was not committed, nor of a pull" },
  },
  {
    id: "S2089",
    plants: "a replay that is given up leaves rejects superseded by rows that it never sent",
    edits: [
      {
        file: "src/state/store/sends/drop-stagings.ts",
        find: "  if (open.length > 0) await reopenSuperseded(queries, runId);\n",
        replace: "  void reopenSuperseded;\n",
      },
    ],
    test: {
      file: "test/src/state/replays.test.ts",
      title: "leaves open, once it is given up, what it found superseded and did not commit",
    },
  },
];
