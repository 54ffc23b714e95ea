import type { Mutant } from "../mutant.ts";

/** Mutants of the pages of pulls: those that fail, that are refused, and that came too long ago. */
export const mutantsOfPullPages: readonly Mutant[] = [
  {
    id: "S2175",
    plants: "a domain that the service fails on is asked for, and paid for, for ever",
    edits: [
      {
        file: "activities/pull/failing-page.ts",
        find: "const halvings = Math.floor(failures / failuresMax);",
        replace: "const halvings = 0;",
      },
    ],
    test: {
      file: "test/activities/pull/failing-page.test.ts",
      title: "is a reject once another request got through, and the others are asked for",
    },
  },
];
