import type { Mutant } from "../mutant.ts";

/** Mutants of pulls: what comes back, and what it costs. */
export const mutantsOfPulls: readonly Mutant[] = [
  {
    id: "M19",
    plants: "the cursor is saved before the write-back",
    edits: [
      {
        file: "activities/pull/pages.ts",
        find: "  const written = await writePage(",
        replace:
          "  await deps.state.setWalk({ ...asked.step, walk });\n  const written = await writePage(",
      },
    ],
    test: {
      file: "test/activities/pull/pages.test.ts",
      title: "keeps the cursor only once its page is written",
    },
  },
  {
    id: "M28",
    plants: "a page is fetched again when its write-back failed",
    edits: [
      {
        file: "src/state/store/pull/pull-pages.ts",
        find: "  await setPage(queries, step, page);",
        replace: "  void page;",
      },
    ],
    test: {
      file: "test/activities/pull/pages.test.ts",
      title: "does not pay again for a page whose write-back failed",
    },
  },
];
