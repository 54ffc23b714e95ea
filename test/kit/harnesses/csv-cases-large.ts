import { truncate } from "node:fs/promises";
import { join } from "node:path";
import { constants, gzipSync } from "node:zlib";

import type { Reject } from "../../../connectors/contract/connector.ts";
import { rejectRowCharsMax } from "../../../src/limits.ts";
import { rowsOf, utf16, utf16Big, type CsvCase } from "./csv-cases-make.ts";

const columns = ["id", "text"];

/** The connector reads this much at a time: a row that is cut there must read the same. */
const blockBytes = 524_288;

/** The maximum bytes of a row. */
const rowBytesMax = 1_000_000;

/** The bytes of a row that has become too long before its end is in sight. */
const endlessBytes = rowBytesMax + blockBytes + 100_000;

/** This many characters, with no two equal neighbours. */
function filler(length: number): string {
  return "abcdefghijklm".repeat(Math.ceil(length / 13)).slice(0, length);
}

/** What opens a cell, what ends its row, how many bytes of that are still in the block, and how the value ends. */
const tears: readonly (readonly [open: string, rest: string, bytes: number, end: string])[] = [
  ["", "\r\n", 1, ""],
  ['"', '""y"\n', 1, '"y'],
  ['"', '"\r\n', 1, ""],
  ["", "é\n", 1, "é"],
  ["", "漢\n", 2, "漢"],
  ['"', '\r\n"\n', 1, "\r\n"],
];

/** A file whose blocks end inside a line end, inside a doubled quote, after a closing one, and inside characters. */
function tornFile(): CsvCase {
  let text = "id,text\n";
  let at = text.length;
  const rows = tears.map(([open, rest, bytes, end], index) => {
    const begin = `${index},${open}`;
    const value = filler(blockBytes * (index + 1) - at - begin.length - bytes);
    text += begin + value + rest;
    at = blockBytes * (index + 1) - bytes + Buffer.byteLength(rest);
    return [String(index), value + end];
  });
  return {
    what: "rows that are torn where a block ends",
    files: { "a.csv": text },
    columns,
    rows: rowsOf(columns, ...rows),
    places: { "line 6": 4 },
    isUncut: true,
    afterwards: { rows: rowsOf(columns, ...rows.slice(3)) },
  };
}

const fullRows = [1, 2, 3, 4, 5, 6].map((id) => [String(id), `€${filler(230_000 + id)}🜁`]);

function linesOf(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.join(",")}\r\n`).join("");
}

/**
 * Three of the rows end a little after a block in which the bytes that identify a position begin, and the file ends
 * soon after.
 */
const packedRows = [
  ...[1, 2, 3].map((id) => [String(id), `€${filler(180_000 + id)}🜁`]),
  ["4", "d"],
  ["5", "e"],
];

/** Compressed about as much as real files are. */
function packed(text: string): Buffer {
  return gzipSync(text, { strategy: constants.Z_HUFFMAN_ONLY });
}

function rejected(line: number, text: string): Reject {
  return {
    where: `a.csv:${line}`,
    code: "row_too_long",
    reason: "the row is longer than 1000000 bytes",
    row: text.slice(0, rejectRowCharsMax + 1),
  };
}

/** The longest possible row, and longer rows whose end is certain. */
function longRows(): CsvCase {
  const longest = filler(rowBytesMax - 2);
  const quoted = `${filler(endlessBytes)}\n\r""\n\r\n\r,${filler(9)}`;
  const long = [`3,${filler(endlessBytes)}`, `"4","${quoted}"`, `"6",${longest}`] as const;
  return {
    what: "rows that are too long",
    files: {
      "a.csv": `id,text\n1,a\n${long[0]}\r\n${long[1]}\r5,b\n2,${longest}\r\n${long[2]}`,
    },
    columns,
    rows: rowsOf(columns, ["1", "a"], ["5", "b"], ["2", longest]),
    rejects: [rejected(3, long[0]), rejected(4, long[1]), rejected(12, long[2])],
    places: { "line 4": 1, "line 11": 2 },
    isUncut: true,
    // A page ends before a row that is too long.
    afterwards: {
      rows: rowsOf(columns, ["5", "b"], ["2", longest]),
      rejects: [rejected(3, long[0]), rejected(4, long[1]), rejected(12, long[2])],
    },
  };
}

function longRowsOfPairs(): CsvCase {
  const longest = filler(rowBytesMax / 2 - 2);
  return {
    what: "rows that are too long in UTF-16",
    files: { "a.csv": utf16(`\ufeffid,text\n2,${longest}\r\n3,${longest}x\n4,c\n`) },
    columns,
    rows: rowsOf(columns, ["2", longest], ["4", "c"]),
    rejects: [{ where: "a.csv:3", code: "row_too_long" }],
    places: { "line 3": 1 },
    isUncut: true,
  };
}

/** The text after a first row, and the error that refuses the file. */
type Stop = {
  readonly what: string;
  readonly text: string;
  readonly field: string;
  readonly says: string;
};

function longStops(): readonly Stop[] {
  const long = filler(endlessBytes);
  const tooLong = "the row is longer than 1000000 bytes";
  const doubtful =
    "a quote on this line is misplaced or never closed, so where its row ends would be a guess";
  const unclosed = "a quote opened on this line is never closed";
  const plain = { field: "path", says: `a.csv:3: ${tooLong}` };
  const inDoubt = { field: "quote", says: `a.csv:3: ${doubtful}` };
  return [
    { what: "a long row of three cells", text: `2,${long},x\n3,b\n`, ...plain },
    { what: "a long row of one cell", text: `x${long}\n3,b\n`, ...plain },
    { what: "a long row and one of one cell", text: `2,${long}\n3\n`, ...plain },
    { what: "a long row and one with a stray quote", text: `2,${long}\n3,x"y\n`, ...plain },
    { what: "a long quoted row and one of one cell", text: `2,"${long}"\n3\n`, ...inDoubt },
    { what: "text after the quote of a long row", text: `2,"${long}"x\n3,4\n`, ...inDoubt },
    { what: "a quote inside a cell of a long row", text: `2, "${long}"\n3,4\n`, ...inDoubt },
    {
      what: "a long row that is never closed",
      text: `2,"${long}\n3,4\n`,
      field: "quote",
      says: `a.csv:3: ${unclosed}`,
    },
    {
      what: "two long rows, the second of three cells",
      text: `2,${long}\n3,4,${long}\n`,
      field: "path",
      says: `a.csv:4: ${tooLong}`,
    },
  ];
}

const openRows = [1, 2, 3, 4, 5].map((id) => [String(id), filler(300_000 + id)]);

/** Files that change while a read has them open. */
function changingFiles(): readonly CsvCase[] {
  const file = {
    isUncut: true,
    files: { "a.csv": `id,text\r\n${linesOf(openRows)}` },
    rows: rowsOf(columns, ...openRows),
  };
  const rest = rowsOf(columns, ...openRows.slice(3));
  const changed = { code: "SourceChanged", says: "a.csv changed while it was read" };
  const grown = { isMeanwhile: true, appended: { "a.csv": "6,x\r\n" } };
  const appendOnly = { append_only: true };
  return [
    {
      what: "a file that grows while it is read",
      ...file,
      afterwards: { ...grown, throws: changed },
    },
    {
      what: "an append-only file that grows while it is read",
      ...file,
      config: appendOnly,
      afterwards: { ...grown, rows: rest },
    },
    {
      what: "an append-only file that becomes shorter while it is read",
      ...file,
      config: appendOnly,
      afterwards: {
        isMeanwhile: true,
        change: async (folder) => await truncate(join(folder, "a.csv"), 9),
        throws: { code: "SourceChanged", says: "a.csv became shorter while it was read" },
      },
    },
    {
      what: "a file that is replaced by another while it is read",
      ...file,
      afterwards: { isMeanwhile: true, replaced: { "a.csv": "id,text\n" }, rows: rest },
    },
  ];
}

function utf8(text: string): Buffer {
  return Buffer.from(text);
}

/** The number of such rows, the number of pages of 8 MiB, and the encoding. */
const longPages: readonly (readonly [rows: number, pages: number, encode: typeof utf16])[] = [
  [40, 2, utf8],
  [41, 3, utf8],
  [20, 2, utf16],
  [21, 3, utf16],
];

function longPage([count, pages, encode]: (typeof longPages)[number]): CsvCase {
  const cells = Array.from({ length: count }, (_, id) => [String(id), filler(440_000)]);
  return {
    what: `${count} rows of so many bytes that they come in ${pages} pages`,
    files: { "a.csv": encode(`\ufeffid,text\r\n${linesOf(cells)}`) },
    columns,
    rows: rowsOf(columns, ...cells),
    pages,
    isUncut: true,
  };
}

/** Files larger than the part held at a time, and rows larger than the maximum for one. */
export function largeCases(): readonly CsvCase[] {
  return [
    tornFile(),
    {
      what: "a large file in big-endian UTF-16",
      files: { "a.csv": utf16Big(`\ufeffid,text\r\n${linesOf(fullRows)}`) },
      columns,
      rows: rowsOf(columns, ...fullRows),
      places: { "line 7": 5 },
      isUncut: true,
      afterwards: { rows: rowsOf(columns, ...fullRows.slice(3)) },
    },
    {
      what: "a large gzip file",
      files: { "a.csv.gz": packed(`id,text\r\n${linesOf(packedRows)}`) },
      config: { path: "a.csv.gz" },
      columns,
      rows: rowsOf(columns, ...packedRows),
      places: { "line 5": 3 },
      isUncut: true,
      afterwards: { rows: rowsOf(columns, ...packedRows.slice(3)) },
    },
    ...longPages.map(longPage),
    longRows(),
    longRowsOfPairs(),
    {
      what: "a row that is too long, where quotes mean nothing",
      isUncut: true,
      files: { "a.csv": `id,text\n1,a\n2,"\0${filler(rowBytesMax)}\n3,b\n` },
      config: { quote: false },
      rows: rowsOf(columns, ["1", "a"], ["3", "b"]),
      rejects: [{ where: "a.csv:3", code: "row_too_long" }],
    },
    ...changingFiles(),
    ...longStops().map(({ what, text, field, says }): CsvCase => {
      const thrown = { code: "ConfigError", field, says };
      return {
        what,
        files: { "a.csv": `id,text\n1,a\n${text}` },
        rows: rowsOf(columns, ["1", "a"]),
        throws: thrown,
        places: { "line 9": thrown },
        findings: [{ name: "a.csv", ok: true }],
      };
    }),
  ];
}
