import type { Mutant } from "../mutant.ts";

/** Bugs in what becomes of rows, pages and errors of connectors and mapping modules that other people write. */
export const mutantsOfAuthors: readonly Mutant[] = [
  {
    id: "S2119",
    plants: "a refused row that holds a bigint stops the run",
    edits: [
      {
        file: "src/records/row-json.ts",
        find: 'typeof value === "bigint" ? String(value) : value,',
        replace: "value,",
      },
    ],
    test: {
      file: "test/src/pipeline/rejects.test.ts",
      title: "keeps of an integer beyond 2^53 what JSON can show",
    },
  },
];
