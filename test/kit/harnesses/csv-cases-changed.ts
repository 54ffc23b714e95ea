import { rename, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { rowsOf, type CsvCase } from "./csv-cases-make.ts";

const columns = ["id", "name"];

const five = "id,name\n1,a\n2,b\n3,c\n4,d\n5,e\n";

const fiveRows = rowsOf(columns, ["1", "a"], ["2", "b"], ["3", "c"], ["4", "d"], ["5", "e"]);

const isChanged = { code: "SourceChanged" };

/** What comes before it is longer than the beginning by which a file is recognised. */
const wide = "x".repeat(40_000);

const wideText = `id,name\n1,${wide}\n2,${wide}\n3,${wide}\n4,d\n5,e\n`;

const wideRows = rowsOf(columns, ["1", wide], ["2", wide], ["3", wide], ["4", "d"], ["5", "e"]);

/** A time that every file system stores exactly. */
const then = new Date("2024-01-01T00:00:00Z");

async function dated(folder: string): Promise<void> {
  await utimes(join(folder, "a.csv"), then, then);
}

/** Overwrites the existing file, which keeps its time. */
async function overwritten(folder: string, text: string): Promise<void> {
  await writeFile(join(folder, "a.csv"), text);
  await dated(folder);
}

const followsOthers = { ...isChanged, says: "a-2.csv follows other files" };

/** Files that are read whole in each run, and are replaced meanwhile. */
const replaced: readonly CsvCase[] = [
  {
    what: "a file that is replaced by one of the same bytes",
    files: { "a.csv": five },
    rows: fiveRows,
    prepare: dated,
    afterwards: {
      replaced: { "a.csv": five },
      change: dated,
      throws: { ...isChanged, says: "is not the file this run began to read" },
      throwing: ["get", "split", "split before"],
    },
  },
  {
    what: "a file that is written once more",
    files: { "a.csv": five },
    rows: fiveRows,
    prepare: dated,
    afterwards: {
      change: async (folder) => await writeFile(join(folder, "a.csv"), five),
      throws: { ...isChanged, says: "is not the file this run began to read" },
      throwing: ["get", "split", "split before"],
    },
  },
  {
    what: "a file that grows",
    files: { "a.csv": five },
    rows: fiveRows,
    prepare: dated,
    afterwards: {
      appended: { "a.csv": "6,f\n" },
      change: dated,
      throws: { ...isChanged, says: "is not the file this run began to read" },
      throwing: ["get", "split", "split before"],
    },
  },
  {
    what: "a file that begins otherwise, of the same size and time",
    files: { "a.csv": five },
    rows: fiveRows,
    prepare: dated,
    afterwards: {
      change: async (folder) => await overwritten(folder, five.replace("1,a", "1,x")),
      throws: { ...isChanged, says: "begins differently" },
      throwing: ["get", "split", "split before"],
    },
  },
  {
    what: "a file that is another before the place, of the same size, time and beginning",
    files: { "a.csv": wideText },
    rows: wideRows,
    prepare: dated,
    afterwards: {
      change: async (folder) => await overwritten(folder, wideText.replace("x\n4", "y\n4")),
      throws: { ...isChanged, says: "holds something else before byte 120017" },
      throwing: ["split"],
    },
  },
  {
    what: "a file that is gone, and another one",
    files: { "a-1.csv": five, "a-2.csv": "id,name\n6,f\n" },
    config: { path: "a-*.csv" },
    rows: [...fiveRows, ...rowsOf(columns, ["6", "f"])],
    afterwards: {
      change: async (folder) => await rm(join(folder, "a-1.csv")),
      throws: { ...isChanged, says: "a-1.csv is gone" },
      throwing: ["get", "split", "split before"],
    },
  },
  {
    what: "a file that is no longer there",
    files: { "a.csv": five },
    rows: fiveRows,
    afterwards: {
      change: async (folder) => await rename(join(folder, "a.csv"), join(folder, "b.csv")),
      throws: { code: "ConfigError", field: "path", says: "The folder holds b.csv." },
      throwing: ["get", "split", "columns"],
    },
  },
  {
    what: "a file that was read whole, and becomes an append-only one",
    files: { "a.csv": five },
    rows: fiveRows,
    afterwards: {
      config: { append_only: true },
      throws: { code: "ConfigError", field: "append_only" },
      throwing: ["get"],
    },
  },
  {
    what: "a file whose rows come after one without rows",
    isUncut: false,
    files: { "a-1.csv": "id,name\n", "a-2.csv": five },
    config: { path: "a-*.csv" },
    rows: fiveRows,
    splits: { 2: [1, 4], 3: [1, 1, 3] },
    places: { "a-1.csv:2": 0, "a-2.csv:3": 1 },
    afterwards: {
      change: async (folder) => await writeFile(join(folder, "a-3.csv"), "id,name\n6,f\n"),
      rows: rowsOf(columns, ["4", "d"], ["5", "e"], ["6", "f"]),
    },
  },
  {
    what: "a file that is another one before the one that is read",
    files: { "a-1.csv": "id,name\n", "a-2.csv": five },
    config: { path: "a-*.csv" },
    rows: fiveRows,
    afterwards: {
      replaced: { "a-1.csv": "id,name\n" },
      rows: rowsOf(columns, ["4", "d"], ["5", "e"]),
      refused: { get: followsOthers, "split before": followsOthers },
    },
  },
];

const appendOnly = { append_only: true };

/** Files that only grow. */
const grown: readonly CsvCase[] = [
  {
    what: "an append-only file whose last line is being written",
    isUncut: false,
    files: { "a.csv": "id,name\r\n1,a\r\n2,b\r\n3,c\r\n4,d\r\n5,e\r" },
    config: appendOnly,
    columns,
    rows: fiveRows.slice(0, 4),
    logs: [],
    places: {
      "line 2": { code: "ConfigError", says: "a place means nothing to an append-only source" },
    },
    afterwards: {
      appended: { "a.csv": '\n6,"f\r\n' },
      rows: rowsOf(columns, ["4", "d"], ["5", "e"]),
    },
  },
  {
    what: "an append-only file with an open quote",
    files: { "a.csv": 'id,name\n1,a\n2,"b\nc' },
    config: appendOnly,
    columns,
    rows: fiveRows.slice(0, 1),
    logs: ['a quoted field is still open, and the rows after it wait {"where":"a.csv:3"}'],
    afterwards: { appended: { "a.csv": '"\n3,c' }, rows: rowsOf(columns, ["2", "b\nc"]) },
  },
  {
    what: "an append-only file whose header line is being written",
    files: { "a.csv": "id,na" },
    config: appendOnly,
    findings: [{ name: "a.csv", ok: true, detail: "the header line is still being written" }],
    refused: {
      columns: { code: "ConfigError", field: "path", says: "a.csv has no whole header line yet" },
    },
    afterwards: { appended: { "a.csv": "me\n1,a\n2" }, rows: fiveRows.slice(0, 1) },
  },
  {
    what: "append-only files, to which another one comes",
    isUncut: false,
    files: {
      "b-1.csv": "id,name\n1,a\n2,b\n3,c\n4,d\n",
      "b-3.csv": "id,name\n5,e\n",
      "b-4.csv": "id",
    },
    config: { ...appendOnly, path: "b-*.csv" },
    columns,
    rows: fiveRows,
    afterwards: {
      replaced: { "b-2.csv": "id,name\n6,f\n" },
      appended: { "b-1.csv": "7,g\n", "b-3.csv": "8,h\n" },
      rows: rowsOf(columns, ["4", "d"], ["7", "g"], ["6", "f"], ["5", "e"], ["8", "h"]),
    },
  },
  {
    what: "an append-only file that is replaced by a copy",
    files: { "a.csv": five },
    config: appendOnly,
    rows: fiveRows,
    afterwards: {
      replaced: { "a.csv": `${five}6,f\n` },
      rows: [...fiveRows.slice(3), { id: "6", name: "f" }],
    },
  },
  {
    what: "an append-only file that becomes shorter",
    files: { "a.csv": five },
    config: appendOnly,
    rows: fiveRows,
    afterwards: {
      change: async (folder) => await truncate(join(folder, "a.csv"), 19),
      throws: { ...isChanged, says: "is shorter than what was already read of it" },
      throwing: ["get"],
    },
  },
  {
    what: "an append-only file that becomes shorter, but no further than it was read",
    files: { "a.csv": five },
    config: appendOnly,
    rows: fiveRows,
    afterwards: { change: async (folder) => await truncate(join(folder, "a.csv"), 20), rows: [] },
  },
  {
    what: "an append-only file that begins otherwise",
    files: { "a.csv": five },
    config: appendOnly,
    rows: fiveRows,
    afterwards: {
      replaced: { "a.csv": five.replace("id", "Id") },
      throws: { ...isChanged, says: "begins differently" },
      throwing: ["get"],
    },
  },
  {
    what: "an append-only file that continues otherwise, where it was not read yet",
    files: { "a.csv": five },
    config: appendOnly,
    rows: fiveRows,
    afterwards: {
      replaced: { "a.csv": five.replace("4,d", "4,x") },
      rows: rowsOf(columns, ["4", "x"], ["5", "e"]),
    },
  },
  {
    what: "an append-only file that is another before the place",
    files: { "a.csv": wideText },
    config: appendOnly,
    rows: wideRows,
    afterwards: {
      replaced: { "a.csv": wideText.replace("x\n4", "y\n4") },
      throws: { ...isChanged, says: "holds something else before byte 120017" },
      throwing: ["get"],
    },
  },
  {
    what: "an append-only file whose quotes become doubtful",
    files: { "a.csv": "id,name\n1,a\n2,b\n3,c\n" },
    config: appendOnly,
    rows: fiveRows.slice(0, 3),
    afterwards: {
      appended: { "a.csv": '4,d\n5, "e\n6,f\n' },
      throws: { code: "ConfigError", field: "quote", says: "a.csv:6: a quote on this line" },
    },
  },
  {
    what: "an append-only file that is to be read whole",
    files: { "a.csv": five },
    config: appendOnly,
    rows: fiveRows,
    afterwards: {
      config: { append_only: false },
      throws: { code: "ConfigError", field: "append_only" },
      throwing: ["get", "split", "split before"],
    },
  },
];

/** Files that change between one page and the next. */
export const changedCases: readonly CsvCase[] = [
  ...replaced.map((testCase) => ({ isUncut: true, ...testCase })),
  ...grown.map((testCase) => ({ isUncut: true, ...testCase })),
];
