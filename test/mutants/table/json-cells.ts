import { planting, type Mutant } from "../mutant.ts";

const speed = "test/src/cli/project/checks/check-speed.test.ts";

const file = "test/connectors/jsonl/plain-lines.test.ts";
const sameLine =
  "becomes what it becomes as an object: line, key, reject, place, whatever the mapping and the file";

const mutant = planting({ file, title: sameLine });

const lines = "wasm/lines/index.ts";
const gather = "connectors/jsonl/gather-lines.ts";
const scan = "connectors/jsonl/scan-value.ts";

/** JSON rows whose lines from cells differ from those from objects, and messages about rows that are objects. */
export const mutantsOfJsonCells: readonly Mutant[] = [
  {
    id: "S720",
    plants: "the note on a file's encoding names the sync's line in place of the setting's",
    edits: [
      {
        file: "src/cli/project/checks/check-speed.ts",
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
        find: "context.isQuiet?.() === true ? [] : notes",
        replace: "found.length === 0 ? [] : notes",
      },
    ],
    test: {
      file: speed,
      title: "is silent with --quiet, of what cannot be reached, and of rows that are no bytes",
    },
  },
  mutant({
    id: "S722",
    plants: "a member that stands twice in its row is its last",
    file: gather,
    find: "if (flags[cell] !== absentCell) return false;",
    replace: "",
  }),
  mutant({
    id: "S723",
    plants: "a line is an object, whatever stands behind it",
    file: gather,
    find: "if (this.#scanner.at !== line.to) return false;",
    replace: "",
  }),
  mutant({
    id: "S724",
    plants: "a key with an escape is another key",
    file: gather,
    find: "if (!scanner.text() || (scanner.flags & otherCell) !== 0) return -1;",
    replace: "if (!scanner.text()) return -1;",
  }),
  mutant({
    id: "S725",
    plants: "01 is a number",
    file: scan,
    find: "if (end === first || (bytes[first] === zero && end > first + 1)) return false;",
    replace: "if (end === first) return false;",
  }),
  mutant({
    id: "S726",
    plants: "a text with an escape is sent as it is written",
    file: scan,
    find: "flags |= otherCell;",
    replace: "",
  }),
  mutant({
    id: "S727",
    plants: "a control character is part of a text",
    file: scan,
    find: "if (byte < 0x20) return false;",
    replace: "if (byte === 0 || byte === 0x0a) return false;",
  }),
  mutant({
    id: "S728",
    plants: "what is nested has a comma behind its last member",
    file: scan,
    find: "if (!this.value(depth + 1)) return false;",
    replace: "if (!this.value(depth + 1)) break;",
  }),
  mutant({
    id: "S729",
    plants: "a column with dots is empty where it is the way to a member",
    file: lines,
    find: "return (outerFlags & (OTHER_CELL | NUMBER_CELL)) != 0;",
    replace: "return false;",
    title: "becomes the same whatever a member holds, as: any",
  }),
  mutant({
    id: "S730",
    plants: "a way into a number of too many digits is empty",
    file: lines,
    find: "return (outerFlags & (OTHER_CELL | NUMBER_CELL)) != 0;",
    replace: "return (outerFlags & OTHER_CELL) != 0;",
    title: "becomes the same whatever a member holds, as: any",
  }),
  mutant({
    id: "S731",
    plants: "a number is the key of a record",
    file: lines,
    find: "return field.isText == 0 && putDigits(from, to);",
    replace: "return putDigits(from, to);",
  }),
  mutant({
    id: "S732",
    plants: "a number that JSON writes otherwise is sent as it came",
    file: lines,
    find: "if ((flag & NUMBER_CELL) != 0) return plainNumberEnd(bytes + <usize>startOf(cell), to);",
    replace: "if ((flag & NUMBER_CELL) != 0) return to;",
  }),
  mutant({
    id: "S733",
    plants: "a null that is kept is an empty text",
    file: lines,
    find: "return writeEmpty(field, NULL_WORD, 4, skipped);",
    replace: "return writeEmpty(field, EMPTY_TEXT, 2, skipped);",
    title: "becomes the same whatever a member holds, as: any",
  }),
  mutant({
    id: "S734",
    plants: "a line that is no UTF-8 is a row",
    file: "connectors/jsonl/page.ts",
    find: "const isText = isLong || isAllText || isUtf8(bytes.subarray(stretch.from, stretch.to));",
    replace: "const isText = isLong || isAllText || stretch.to > 0;",
  }),
  mutant({
    id: "S735",
    plants: "lines of two blocks are read in the first",
    file: "connectors/jsonl/lines.ts",
    find: "if (first === undefined || blocks.size === 1) {",
    replace: "if (first === undefined || blocks.size > 0) {",
    title: "keeps the rows of a page whose lines are of two blocks",
  }),
  mutant({
    id: "S736",
    plants: "rows of a page lose their cells where a further name comes up",
    file: "connectors/jsonl/line-cells.ts",
    find: "array.copyWithin(to, from, from + columns);",
    replace: "array.copyWithin(to, from, from + columns - 1);",
  }),
  mutant({
    id: "S737",
    plants: "a row with more names than columns goes without them",
    file: "connectors/jsonl/line-cells.ts",
    find: "(made.has(row) ? -1 : to - from)",
    replace: "(made.has(row) ? 0 : to - from)",
    title: "is an object where it has more names than there are columns",
  }),
  mutant({
    id: "S2125",
    plants:
      "a file of JSON lines that was read whole stops every run once append_only is switched on",
    file: "connectors/jsonl/index.ts",
    find: 'config.append_only !== position.mark.includes(" ")',
    replace: "config.append_only || position.mark !== undefined",
    test: "test/connectors/jsonl/file.test.ts",
    title: "a file is read again once append_only is switched on, and the report says so",
  }),
  mutant({
    id: "S2220",
    plants: "who replaces a file that is read whole is asked to reset the sync",
    file: "connectors/jsonl/config.ts",
    find: "config.append_only\n    ?",
    replace: "config.path !== ''\n    ?",
    test: "test/connectors/jsonl/read.test.ts",
    title: "speaks of no reset where a file that was replaced meanwhile is read whole",
  }),
  mutant({
    id: "S2221",
    plants: "millions of blank lines are objects at once",
    file: "connectors/jsonl/lines.ts",
    find: "if (lines.length < linesAtOnce) continue;",
    replace: "if (lines.length > 0) continue;",
    test: "test/connectors/jsonl/file.test.ts",
    title: "hands out lines some thousand at a time, because a block of blank ones has millions",
  }),
];
