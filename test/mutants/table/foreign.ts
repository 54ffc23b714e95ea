import type { Mutant } from "../mutant.ts";

/** Mutants of what programs found that nobody here wrote. */
export const mutantsOfForeignPrograms: readonly Mutant[] = [
  {
    id: "S170",
    plants: "a page of a wrong shape is paid for three times",
    edits: [
      {
        file: "src/api/classify.ts",
        find: 'timesMax: step === "search" ? misreadPageTimesMax : faultTimesMax,',
        replace: "timesMax: faultTimesMax,",
      },
    ],
    test: {
      file: "test/src/api/search.test.ts",
      title: "asks once more after a page of another shape",
    },
  },
];
