import { execFileSync } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import type { RefusingCase, Thrown } from "../../../testing/case.ts";
import type { CsvCase, Files } from "./csv-cases-make.ts";

const one: Files = { "a.csv": "id,name\n1,a\n" };

/** Settings that the schema refuses, each with the member that it names. */
const settings: readonly (readonly [what: string, config: object, field: string])[] = [
  ["no header line, and no columns", { header: false }, "header"],
  ["a header line, and columns", { header: true, columns: ["id"] }, "columns"],
  ["two columns of one name", { columns: ["id", "a", "id"] }, "columns"],
  ["no column", { columns: [] }, "columns"],
  ["a column without a name", { columns: ["id", ""] }, "columns.1"],
  ["a quote that is the delimiter", { quote: ";", delimiter: ";" }, "quote"],
  ["a delimiter of two characters", { delimiter: ";;" }, "delimiter"],
  ["a delimiter beyond ASCII", { delimiter: "§" }, "delimiter"],
  ["a quote of two characters", { quote: "''" }, "quote"],
  ["no path", { path: "" }, "path"],
  ["a path with a NUL", { path: "a\0.csv" }, "path"],
  ["a path that is too long", { path: "a".repeat(4_097) }, "path"],
  ["no folder", { folder: "" }, "folder"],
  ["a file for writing that is the source", { file: "./b/../a.csv" }, "file"],
  ["a file for writing that the pattern reads", { path: "*.csv", file: "scores.csv" }, "file"],
  ["another encoding", { encoding: "utf-32" }, "encoding"],
];

const atOnce: readonly RefusingCase[] = ["columns", "split"];

/** Paths that lead nowhere, and paths to things that are not files. */
const paths: readonly (Pick<CsvCase, "what" | "config" | "prepare"> & {
  readonly files?: Files;
  readonly says: string;
  readonly field?: string;
  readonly throwing?: readonly RefusingCase[];
  readonly findings?: NonNullable<CsvCase["findings"]>;
})[] = [
  {
    what: "a path that is misspelt",
    files: {
      "accounts.csv": "",
      "account.csv": "",
      "acount.cs": "",
      "acounts.csvx": "",
      "b.csv": "",
      cc: "",
      "accoun.csv": "",
      "a/acount.csv": "",
    },
    config: { path: "acount.csv" },
    says: "acount.csv does not exist The folder holds account.csv, acount.cs, accoun.csv, accounts.csv, acounts.csvx.",
    findings: [
      {
        name: "acount.csv",
        ok: false,
        detail: "acount.csv does not exist",
        fix: "The folder holds account.csv, acount.cs, accoun.csv, accounts.csv, acounts.csvx.",
      },
    ],
  },
  {
    what: "a path of which little is right",
    files: { "accounts.csv": "", "acounts.csvx": "", "b.csv": "", "accoun.csv": "" },
    config: { path: "acount.csv" },
    says: "The folder holds accoun.csv, accounts.csv, acounts.csvx, b.csv.",
  },
  {
    what: "a folder without files",
    files: { "sub/b.csv": "" },
    config: { path: "a.csv" },
    says: "The folder holds no files.",
  },
  {
    what: "a path in a folder that is not there",
    files: one,
    config: { path: "exports/a.csv" },
    says: "exports/a.csv does not exist: there is no folder /",
  },
  {
    what: "a pattern in a folder that is not there",
    files: one,
    config: { path: "exports/*.csv" },
    says: "no file matches exports/*.csv: there is no folder /",
  },
  {
    what: "a pattern that matches nothing",
    files: { "a.tsv": "", "in/c.csv": "" },
    config: { path: "*.csv", file: "in/d.csv" },
    says: "no file matches *.csv The folder holds a.tsv.",
  },
  {
    what: "a pattern that matches a folder alone",
    files: { "b.tsv": "" },
    config: { path: "a*" },
    prepare: async (folder) => {
      await mkdir(join(folder, "ab"));
      await symlink("nowhere", join(folder, "d"));
    },
    says: "no file matches a* The folder holds d, b.tsv.",
  },
  {
    what: "a path through a file",
    files: one,
    config: { path: "a.csv/b.csv" },
    says: "a.csv/b.csv leads through something that is not a folder",
  },
  {
    what: "a link that leads to itself",
    config: { path: "loop.csv" },
    prepare: async (folder) => await symlink("loop.csv", join(folder, "loop.csv")),
    says: "loop.csv is a link that leads to itself",
  },
  {
    what: "a link that leads nowhere",
    config: { path: "link.csv" },
    prepare: async (folder) => await symlink("nowhere.csv", join(folder, "link.csv")),
    says: "link.csv does not exist",
  },
  {
    what: "a link that leads out of the folder of a pattern",
    files: { "in/a.csv": "id,name\n1,a\n", "inside.csv": "id,name\n2,b\n" },
    config: { path: "in/*.csv" },
    prepare: async (folder) => await symlink("../inside.csv", join(folder, "in/b.csv")),
    says: "in/b.csv is a link that leads out of the pattern's folder",
  },
  {
    what: "a name that is too long",
    config: { path: `${"a".repeat(300)}.csv` },
    says: "is too long for a path",
  },
  {
    what: "a folder",
    files: { "in/a.csv": "" },
    config: { path: "in/" },
    says: "in/ is a folder, not a file Give a file, or a pattern: in/*.csv.",
  },
  { what: "a device", config: { path: "/dev/null" }, says: "/dev/null is a device, not a file" },
  {
    what: "a FIFO",
    prepare: async (folder) => void execFileSync("/usr/bin/env", ["mkfifo", join(folder, "a.csv")]),
    says: "a.csv is a FIFO, not a file",
  },
  {
    what: "a workbook",
    files: { "a.csv": Buffer.from("PK\u0003\u0004 and so on") },
    says: "a.csv is a zip archive",
  },
  {
    what: "a gzip file that is to be append-only",
    files: { "a.csv": gzipSync("id\n1\n") },
    config: { append_only: true },
    field: "append_only",
    throwing: ["columns", "discover"],
    says: "a.csv is a gzip file, which cannot be read as append-only",
  },
  {
    what: "a gzip file that is cut",
    files: { "a.csv": gzipSync("id\n1\n").subarray(0, 15) },
    throwing: ["columns", "discover"],
    says: "a.csv: the gzip file ends in the middle",
  },
  {
    what: "a gzip file with bytes that are none",
    files: {
      "a.csv": Buffer.concat([gzipSync("id\n1\n").subarray(0, 10), Buffer.from("no deflate")]),
    },
    throwing: ["columns", "discover"],
    says: "a.csv: the gzip file is damaged",
  },
  {
    what: "a gzip file with a zero byte between two of its members",
    files: {
      "a.csv": Buffer.concat([gzipSync("id\n1\n"), Buffer.from([0]), gzipSync("2\n")]),
    },
    throwing: ["columns", "discover"],
    says: "a.csv: the gzip data ends at byte",
  },
  {
    what: "a gzip file out of proportion",
    files: { "a.csv": gzipSync(`id\n${"1".repeat(3_000_000)}`) },
    throwing: ["discover"],
    findings: [{ name: "a.csv", ok: true }],
    says: "a.csv unpacks to more than 500 times its size",
  },
];

const cannotUse = "the header line cannot be used: ";

const isRow = "If the first line is a row, name the columns: columns: [id, name].";

/** Header lines that name no columns. */
const headers: readonly (readonly [
  what: string,
  text: string | Buffer,
  says: string,
  more?: {
    readonly throwing?: readonly RefusingCase[];
    readonly field?: string;
    readonly config?: object;
    readonly found?: string;
  },
])[] = [
  ["an empty file", "", "a.csv has no header line: it is empty", { throwing: ["columns"] }],
  ["a file of blank lines", "\n\r\n", "a.csv has no header line: it is empty"],
  ["a column without a name", "\nid,,a\n", `a.csv:2: ${cannotUse}column 2 has no name`],
  [
    "seven columns without a name",
    ",,,,,,",
    `${cannotUse}column 1, 2, 3, 4, 5 and 2 more has no name`,
  ],
  [
    "columns that share a name",
    "id,a,b,a,b,id,a\n",
    `a.csv:1: ${cannotUse}columns 1, 6 share a name, columns 2, 4, 7 share a name, columns 3, 5 ` +
      `share a name Give each column its own. ${isRow} \`sluice check\` lists the names.`,
    {
      found:
        `a.csv:1: ${cannotUse}columns 1, 6 share the name "id", columns 2, 4, 7 share the name ` +
        `"a", columns 3, 5 share the name "b"`,
    },
  ],
  ["a stray quote in the header line", 'id,a"b\n', `${cannotUse}a quote is inside`],
  ["a NUL in the header line", "id,\0\n", `${cannotUse}a field holds a NUL`],
  [
    "a header line in another encoding",
    Buffer.from("id,é\n", "latin1"),
    `${cannotUse}byte 3 is not utf-8 Check encoding, quote and delimiter.`,
  ],
  [
    "a header line that is never closed",
    'id,"a\n1,b\n',
    "a.csv:1: a quote opened on this line is never closed",
    { field: "quote" },
  ],
  [
    "a header line that is too long",
    `id,${"x".repeat(1_000_000)}\n`,
    "a.csv:1: the row is longer than 1000000 bytes",
  ],
  [
    "a header line of too many columns",
    `${"a,".repeat(4_096)}a\n`,
    `${cannotUse}more than 4096 columns Check the delimiter.`,
  ],
  [
    "a header line with another delimiter",
    "id;a\n1;b\n",
    'a.csv:1: the header line has one column with the delimiter ",", and holds ";" Set delimiter: ";", or remove it.',
    { field: "delimiter", config: { delimiter: "," } },
  ],
  [
    "a header line with tabs",
    "id\ta\n",
    'the delimiter "|", and holds tab Set delimiter: tab, or remove it.',
    { field: "delimiter", config: { delimiter: "|" } },
  ],
];

function thrown(says: string, field = "path"): Thrown {
  return { code: "ConfigError", field, says };
}

/** Sources that cannot be read at all. */
export const refusedCases: readonly CsvCase[] = [
  ...settings.map(([what, config, field]) => ({
    what,
    files: one,
    config: { ...config },
    throws: { code: "ConfigError", field },
  })),
  ...paths.map(({ files = {}, says, field, ...said }): CsvCase => ({
    throwing: ["columns", "discover", "split"],
    ...said,
    files,
    throws: thrown(says, field),
  })),
  ...headers.map(
    ([what, text, says, { field, config, found, throwing = atOnce } = {}]): CsvCase => ({
      what,
      files: { "a.csv": text },
      ...(config && { config: { ...config } }),
      throws: thrown(says, field),
      throwing,
      ...(found !== undefined && {
        findings: [
          { name: "a.csv", ok: false, detail: found, fix: `Give each column its own. ${isRow}` },
        ],
      }),
    }),
  ),
];
