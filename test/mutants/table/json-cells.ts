import type { Mutant } from "../mutant.ts";

const speed = "test/src/cli/project/check-speed.test.ts";

/** Rows of JSON that go from cells to lines otherwise than objects would, and what is told of rows that are objects. */
export const mutantsOfJsonCells: readonly Mutant[] = [
  {
    id: "S720",
    plants: "the note on a file's encoding names the sync's line in place of the setting's",
    edits: [
      {
        file: "src/cli/project/check-speed.ts",
        find: '[[...from, member], ["connections", connection, member], from]',
        replace: "[from]",
      },
    ],
    test: {
      file: speed,
      title: "names the encoding where it is written, and each further cause",
    },
  },
  {
    id: "S721",
    plants: "notes on speed are told with --quiet",
    edits: [
      {
        file: "src/cli/project/check.ts",
        find: "if (context.isQuiet?.() !== true) {",
        replace: "if (found.length > 0) {",
      },
    ],
    test: {
      file: speed,
      title: "is silent with --quiet, of what cannot be reached, and of rows that are no bytes",
    },
  },
];
