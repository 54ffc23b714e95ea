import type { Reject } from "../../../connectors/contract/connector.ts";
import { rowsOf, type CsvCase } from "./csv-cases-make.ts";

const columns = ["a", "b", "c"];

type Fault = Pick<Reject, "code" | "reason">;

const stray: Fault = {
  code: "stray_quote",
  reason:
    "a quote is inside an unquoted field or before the end of a quoted one; inside quotes it must be doubled",
};

const nul: Fault = { code: "nul_byte", reason: "a field holds a NUL" };

function ragged(count: number): Fault {
  return { code: "ragged_row", reason: `expected 3 fields, got ${count}` };
}

/** The text of a record, the lines it takes, and its cells or why it is refused. */
type Record = readonly [text: string, lines: number, fate: readonly string[] | Fault];

const records: readonly Record[] = [
  ["1,2,3", 1, ["1", "2", "3"]],
  ["1,2", 1, ragged(2)],
  ["1,2,3,4", 1, ragged(4)],
  ['1,"x\ny",3', 2, ["1", "x\ny", "3"]],
  ['1,x"y,3', 1, stray],
  ['1,x"y"z",3', 1, stray],
  ['1, "x",3', 1, stray],
  ['1,\t "x",3', 1, stray],
  ['1,"x"y,3', 1, stray],
  ['1,"x"y",3', 1, stray],
  ['1,2,"3"4"', 1, stray],
  ['1,"x" ,3', 1, stray],
  ['1,"x"y,"3\n4"', 2, stray],
  ['1,"x"y,"3\r\n4\r5"', 3, stray],
  ['"x"y,"z"w,"3"', 1, stray],
  ["1,\0,3", 1, nul],
  ['1,"\0\n",3', 2, nul],
  [",,", 1, ["", "", ""]],
  ['"",\t, ', 1, ["", "\t", " "]],
  [" ", 1, ragged(1)],
  ['7,8,"9"', 1, ["7", "8", "9"]],
];

function refusedRecords(end: string): CsvCase {
  const rows: (readonly string[])[] = [];
  const rejects: Reject[] = [];
  let line = 2;
  for (const [text, lines, fate] of records) {
    if ("code" in fate) rejects.push({ where: `a.csv:${line}`, ...fate, row: text });
    else rows.push(fate);
    line += lines;
  }
  return {
    what: `rows that are none, between ends of ${JSON.stringify(end)}`,
    isUncut: end !== "\n",
    files: { "a.csv": ["a,b,c", ...records.map(([text]) => text)].join(end) },
    columns,
    rows: rowsOf(columns, ...rows),
    rejects,
  };
}

/** A file that cannot be read any further: what is wrong, and the line of the quote at fault. */
type Stop = { readonly what: string; readonly text: string; readonly says: string };

const doubtful =
  "a quote on this line is misplaced or never closed, so where its row ends would be a guess";
const unclosed = "a quote opened on this line is never closed";

const stops: readonly Stop[] = [
  { what: "a quote that is never closed", text: '3,"4\n5,6\n', says: `a.csv:3: ${unclosed}` },
  { what: "a quote that opens at the end", text: '3,"', says: `a.csv:3: ${unclosed}` },
  {
    what: "a quote that is never closed after one that is",
    text: '"3\n4","5',
    says: `a.csv:4: ${unclosed}`,
  },
  {
    what: "text after a quote that closes lines further down",
    text: '3,"4\n5"6\n7,8\n',
    says: `a.csv:3: ${doubtful}`,
  },
  { what: "a single quote after a blank", text: '3, "4\n5,6"\n', says: `a.csv:3: ${doubtful}` },
  {
    what: "three quotes, none of which ends a field",
    text: '3,"4"5"6,7\n8,9\n',
    says: `a.csv:3: ${doubtful}`,
  },
  {
    what: "three quotes, the second of which ends a field",
    text: '3, "4",5"6\n7,8\n',
    says: `a.csv:3: ${doubtful}`,
  },
  {
    what: "a quote in doubt behind lines in quotes",
    text: '"3\n4", "5\n6,7\n',
    says: `a.csv:4: ${doubtful}`,
  },
];

/** Rows that are refused, and quotes after which nothing is certain. */
export const rejectCases: readonly CsvCase[] = [
  ...["\n", "\r\n", "\r"].map(refusedRecords),
  ...stops.map(({ what, text, says }): CsvCase => {
    const thrown = { code: "ConfigError", field: "quote", says };
    return {
      what,
      files: { "a.csv": `a,b\n1,2\n${text}` },
      throws: thrown,
      throwing: ["split"],
      places: { "line 5": thrown },
      findings: [{ name: "a.csv", ok: true }],
    };
  }),
];
