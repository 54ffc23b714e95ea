import { mkdir, chmod, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";

import type { Patch } from "../../../connectors/contract/connector.ts";
import type { JsonValue } from "../../../src/records/json-value.ts";
import type { Writing } from "../../../testing/case.ts";
import type { CsvCase, Files } from "./csv-cases-make.ts";

type Cells = Readonly<Record<string, JsonValue>>;

function patch(key: Cells, set: Cells): Patch {
  return { key, set };
}

function scored(id: JsonValue, score: JsonValue): Patch {
  return patch({ id }, { score });
}

/** A write, its files, and what becomes of them. */
type Written = Omit<Writing, "left"> & {
  readonly what: string;
  readonly files?: Files;
  readonly config?: object;
  readonly prepare?: (folder: string) => Promise<void>;
};

const long = "x".repeat(1_000_000);

const merged: readonly Written[] = [
  {
    what: "a write into a file that is not there",
    patches: [scored("1", 10), scored("2", null), scored("3", true), scored("4", { a: [1, "x"] })],
    answers: ["written", "written", "written", "written"],
    leaves: { "written.csv 600": 'id,score\n1,10\n2,\n3,true\n4,"{""a"":[1,""x""]}"\n' },
  },
  { what: "a write of nothing", patches: [], answers: [], leaves: {} },
  {
    what: "a write of rows that are there, others, and new ones",
    files: { "written.csv": 'id;name,x;score\r\n9;"a,b;c";\r\n2;b;5\r\n1;a;7' },
    config: { delimiter: ";" },
    prepare: async (folder) => await chmod(join(folder, "written.csv"), 0o666),
    patches: [
      patch({ id: "3" }, { score: "1", more: 'say "y"' }),
      patch({ id: 2 }, { score: 5, more: "" }),
      patch({ id: "1" }, { score: 8, more: "a;b\nc" }),
    ],
    answers: ["written", "unchanged", "written"],
    leaves: {
      "written.csv 666":
        'id;name,x;score;more\n9;"a,b;c";;\n2;b;5;\n1;a;8;"a;b\nc"\n3;;1;"say ""y"""\n',
    },
  },
  {
    what: "a write that changes nothing",
    files: { "written.csv": 'score,id\r\n"5","1"\r\n,2\r\n' },
    patches: [scored("2", ""), scored("1", 5)],
    answers: ["unchanged", "unchanged"],
    leaves: { "written.csv 644": 'score,id\r\n"5","1"\r\n,2\r\n' },
  },
  {
    what: "a write of a column that is not there, and of no row",
    files: { "written.csv": "id\n1\n" },
    config: { insert: false },
    patches: [scored("2", 5)],
    answers: ["missing"],
    leaves: { "written.csv 644": "id,score\n1,\n" },
  },
  {
    what: "a write that may make no rows, into a file that is not there",
    config: { insert: false },
    patches: [scored("2", 5)],
    answers: ["missing"],
    leaves: {},
  },
  {
    what: "a write that may make no rows",
    files: { "written.csv": "id,score\n1,4\n" },
    config: { insert: false },
    patches: [scored("2", 5), scored("1", 5)],
    answers: ["missing", "written"],
    leaves: { "written.csv 644": "id,score\n1,5\n" },
  },
  {
    what: "a write that may make rows, of a key that is there twice",
    files: { "written.csv": "id,score\n1,5\n2,4\n1,4\n1,5\n" },
    config: { insert: true },
    patches: [scored("1", 5), scored("3", 5)],
    answers: ["written", "written"],
    leaves: { "written.csv 644": "id,score\n1,5\n2,4\n1,5\n1,5\n3,5\n" },
  },
  {
    what: "a write by keys of two columns, that make one text",
    files: { "written.csv": "a,b,score\n1,23,x\n12,3,y\n" },
    patches: [patch({ a: "12", b: "3" }, { score: "z" }), patch({ b: 23, a: 1 }, { score: "x" })],
    answers: ["written", "unchanged"],
    leaves: { "written.csv 644": "a,b,score\n1,23,x\n12,3,z\n" },
  },
  {
    what: "a write of what no file can hold",
    patches: [
      scored("1", "a\0"),
      scored(null, 1),
      scored("3", "\ud800"),
      scored("4", { a: ["\0"] }),
      scored("5", "5"),
      scored("6", long),
    ],
    answers: ["rejected", "rejected", "rejected", "rejected", "written", "rejected"],
    leaves: { "written.csv 600": "id,score\n5,5\n" },
  },
  {
    what: "a write that would make a row too long, and one as long as may be",
    files: { "written.csv": "id,score\n1,a\n2,b\n" },
    patches: [scored("1", long), scored("2", long.slice(3))],
    answers: ["rejected", "written"],
    leaves: { "written.csv 644": `id,score\n1,a\n2,${long.slice(3)}\n` },
  },
  {
    what: "a write of formulas, of numbers below zero, and of a byte order mark",
    patches: [scored("1", "=1+1"), scored("2", -5), scored("3", "'@a"), scored("4", "\ufeffx")],
    answers: ["written", "written", "written", "written"],
    leaves: { "written.csv 600": "id,score\n1,'=1+1\n2,-5\n3,''@a\n4,\"\ufeffx\"\n" },
  },
  {
    what: "a write of keys alone, one of which is empty",
    patches: [patch({ id: "" }, {}), patch({ id: "a" }, {})],
    answers: ["written", "written"],
    leaves: { "written.csv 600": 'id\n""\na\n' },
  },
  {
    what: "a write of columns that are called as members of every object are",
    files: { "written.csv": "constructor,score\na,1\n" },
    patches: [patch({ constructor: "a" }, { toString: "x" })],
    answers: ["written"],
    leaves: { "written.csv 644": "constructor,score,toString\na,1,x\n" },
  },
  {
    what: "a write where the source is of another kind",
    files: { "written.csv": "id,score\n'1',5\n" },
    config: { quote: "'", encoding: "windows-1252", append_only: true },
    patches: [scored("'1'", 6)],
    answers: ["written"],
    leaves: { "written.csv 644": "id,score\n'1',6\n" },
  },
  {
    what: "a write where the source's delimiter is what a write quotes with",
    config: { delimiter: '"', quote: false },
    patches: [scored("1", "a,b")],
    answers: ["written"],
    leaves: { "written.csv 600": 'id,score\n1,"a,b"\n' },
  },
  {
    what: "a write beside what others left",
    files: {
      "written.csv": "id,score\n1,5\n",
      ".written.csv.1.tmp": "old",
      ".written.csv.2.tmp": "new",
      ".written.csv.3.txt": "old",
      "written.csv.4.tmp": "old",
    },
    config: { file: "link.csv" },
    prepare: async (folder) => {
      await symlink("written.csv", join(folder, "link.csv"));
      const old = new Date("2024-01-01T00:00:00Z");
      for (const name of [".written.csv.1.tmp", ".written.csv.3.txt", "written.csv.4.tmp"]) {
        await utimes(join(folder, name), old, old);
      }
    },
    patches: [scored("1", 6)],
    answers: ["written"],
    leaves: {
      ".written.csv.2.tmp 644": "new",
      ".written.csv.3.txt 644": "old",
      "link.csv 644": "id,score\n1,6\n",
      "written.csv 644": "id,score\n1,6\n",
      "written.csv.4.tmp 644": "old",
    },
  },
];

/** Writes that throw, and leave everything unchanged. */
const refused: readonly (Pick<Written, "what" | "files" | "config" | "prepare"> & {
  readonly patches?: readonly Patch[];
  readonly says: string;
  readonly field?: string;
})[] = [
  { what: "a write to no file", config: { file: undefined }, says: "needs the file to write" },
  {
    what: "a write to a folder",
    prepare: async (folder) => await mkdir(join(folder, "written.csv")),
    says: "written.csv is not a file",
  },
  {
    what: "a write into a folder that is not there",
    config: { file: "scores/a.csv" },
    says: "scores/a.csv cannot be written: its folder does not exist",
  },
  {
    what: "a write through a file",
    config: { file: "a.csv/b.csv" },
    says: "a.csv/b.csv cannot be written: its path leads through something that is not a folder",
  },
  {
    what: "a write into a file without the key",
    files: { "written.csv": "score,ID\n5,1\n" },
    says: "written.csv has no column id; nothing was written",
  },
  {
    what: "a write into a file with a row that is none",
    files: { "written.csv": "id,score\n1,5,6\n" },
    says: "written.csv:2: expected 2 fields, got 3; nothing was written",
  },
  {
    what: "a write into a file of as many columns as there may be",
    files: {
      "written.csv": `id,${Array.from({ length: 4_095 }, (_, index) => index).join(",")}\n`,
    },
    says: "written.csv would have more than 4096 columns",
  },
  {
    what: "a write without a key",
    patches: [patch({}, { a: 1 })],
    field: "key",
    says: "no column",
  },
  {
    what: "a write of a column without a name",
    patches: [patch({ id: 1 }, { "": 1 })],
    field: "set",
    says: "a column to write has no name",
  },
  {
    what: "a write of the key itself",
    patches: [patch({ id: 1 }, { id: 2 })],
    field: "set",
    says: "the column id is both in key and in set",
  },
];

function modesOf(files: Files = {}): object {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${name} 644`, text]));
}

/** Results written back next to a source, and the files that this makes. */
export const writtenCases: readonly CsvCase[] = [
  ...merged.map(({ what, files, config, prepare, ...writing }) => ({
    what,
    isUncut: true,
    files: { "a.csv": "x\n", ...files },
    ...(config && { config: { ...config } }),
    ...(prepare && { prepare }),
    writes: [writing],
  })),
  ...refused.map(({ what, files, config, prepare, patches, says, field = "file" }) => ({
    what,
    isUncut: true,
    files: { "a.csv": "x\n", ...files },
    ...(config && { config: { ...config } }),
    ...(prepare && { prepare }),
    writes: [
      {
        patches: patches ?? [scored("1", 5)],
        throws: { code: "ConfigError", field, says },
        ...(prepare === undefined && { leaves: modesOf(files) }),
      },
    ],
  })),
];
