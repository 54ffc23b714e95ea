import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import type { Discovery } from "../../../connectors/contract/connector.ts";
import { rowsOf, type CsvCase } from "./csv-cases-make.ts";

const columns = ["id", "name"];

function discovered(
  name: string,
  names: readonly string[],
  said: Pick<Discovery, "from" | "key">,
): Discovery {
  return { name, columns: names.map((one) => ({ name: one, type: "string" })), ...said };
}

/** Several files matched by a pattern, and files that a pattern skips. */
const patterns: readonly CsvCase[] = [
  {
    what: "files of a pattern, in the order of their paths",
    files: {
      "exports/b.csv": "id,name\n3,c\n4,d\n",
      "exports/a.csv": "id;name\r\n1;a\r\n2;b",
      "exports/c.csv": "id,name\n",
      "exports/d.csv": "\ufeffname,id\ne,5\n",
      "exports/e.txt": "id,name\n6,f\n",
      "exports/deep/f.csv": "id,name\n7,g\n",
    },
    config: { path: "./exports/*.csv" },
    prepare: async (folder) => {
      await mkdir(join(folder, "exports/folder.csv"));
      await symlink("b.csv", join(folder, "exports/z.csv"));
    },
    columns,
    rows: rowsOf(
      columns,
      ["1", "a"],
      ["2", "b"],
      ["3", "c"],
      ["4", "d"],
      ["5", "e"],
      ["3", "c"],
      ["4", "d"],
    ),
    findings: [
      { name: "./exports/a.csv", ok: true, detail: '2 columns, delimiter ";", utf-8, 17 bytes' },
      { name: "./exports/c.csv", ok: true, detail: '2 columns, delimiter ",", utf-8, 8 bytes' },
      { name: "./exports/z.csv", ok: true },
    ],
    splits: { 2: [4, 3], 3: [3, 2, 2] },
    measure: { bytes: 17 + 16 + 8 + 15 + 16, exact: true },
    places: {
      "./exports/b.csv:3": 3,
      "./exports/c.csv:2": 4,
      "./exports/z.csv:5": false,
      "exports/a.csv:2": false,
      "line 2": {
        code: "ConfigError",
        says:
          'does not say which of 5 files Give a file and a line of it: "./exports/a.csv:48211"; ' +
          "the files are ./exports/a.csv, ./exports/b.csv, ./exports/c.csv, ./exports/d.csv, " +
          "./exports/z.csv.",
      },
    },
    discoveries: [
      discovered("./exports/a.csv", columns, { from: { path: "./exports/a.csv" }, key: ["id"] }),
      discovered("./exports/d.csv", ["name", "id"], {
        from: { path: "./exports/d.csv" },
        key: ["id"],
      }),
    ],
  },
  {
    what: "files of a pattern, the last of which wins",
    isUncut: true,
    files: { "dated/a.csv": "id,name\n1,a\n", "dated/b.csv": "id,name\n1,b\n" },
    config: { path: "dated/*.csv", first_wins: true },
    columns,
    rows: rowsOf(columns, ["1", "b"], ["1", "a"]),
    findings: [{ name: "order of files", ok: true }],
  },
  {
    what: "files of a pattern in folders below, of the same columns",
    isUncut: true,
    files: {
      "2024/one.csv": "User ID,name\n1,a\n",
      "2025/deep/two.csv": "User ID,name\n2,b\n3,c\n",
      "2025/three.csv": "User ID,name\n4,d\n",
    },
    config: { path: "**/*.csv", file: undefined },
    columns: ["User ID", "name"],
    rows: rowsOf(["User ID", "name"], ["1", "a"], ["2", "b"], ["3", "c"], ["4", "d"]),
    discoveries: [discovered("**/*.csv", ["User ID", "name"], { from: {}, key: ["User ID"] })],
  },
  {
    what: "files of a pattern that share some columns",
    isUncut: true,
    files: {
      "a-1.csv": "id,name,city\n1,a,x\n",
      "a-2.csv": "city,id\ny,2\n",
    },
    config: { path: "a-?.csv" },
    columns: ["id", "city"],
    rows: [
      { id: "1", name: "a", city: "x" },
      { city: "y", id: "2" },
    ],
    discoveries: [
      discovered("a-1.csv", ["id", "name", "city"], { from: { path: "a-1.csv" }, key: ["id"] }),
      discovered("a-2.csv", ["city", "id"], { from: { path: "a-2.csv" }, key: ["id"] }),
    ],
  },
  {
    what: "files the first of which has all columns of the second, and one more",
    isUncut: true,
    files: { "a-1.csv": "id,name,city\n", "a-2.csv": "id,name\n2,b\n" },
    config: { path: "a-?.csv" },
    columns,
    rows: rowsOf(columns, ["2", "b"]),
    discoveries: [
      discovered("a-1.csv", [...columns, "city"], { from: { path: "a-1.csv" }, key: ["id"] }),
      discovered("a-2.csv", columns, { from: { path: "a-2.csv" }, key: ["id"] }),
    ],
  },
  {
    what: "a row that is longer than all the others, and a file without any after it",
    files: {
      "a-1.csv": `id,name\n1,${"a".repeat(19)}\n`,
      "a-2.csv": "id,name\n",
      "a-3.csv": "id,name\n2,b\n3,c\n",
    },
    config: { path: "a-?.csv" },
    columns,
    rows: rowsOf(columns, ["1", "a".repeat(19)], ["2", "b"], ["3", "c"]),
    splits: { 2: [1, 2], 3: [1, 2] },
  },
  {
    what: "seven files",
    isUncut: true,
    files: Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((id) => [`x${id}.csv`, "id,name\n"])),
    config: { path: "x*.csv" },
    columns,
    places: {
      "line 2": {
        code: "ConfigError",
        says: '"x1.csv:48211"; the files are x1.csv, x2.csv, x3.csv, x4.csv, x5.csv and 2 more.',
      },
    },
  },
  {
    what: "plain files and packed ones",
    files: {
      "a.csv": "id,name\n1,a\n2,b\n",
      "b.csv.gz": gzipSync("id,name\n3,c\n4,d\n"),
      "c.csv.gz": gzipSync("id,name\n5,e\n"),
    },
    config: { path: "[a-c].csv*" },
    columns,
    rows: rowsOf(columns, ["1", "a"], ["2", "b"], ["3", "c"], ["4", "d"], ["5", "e"]),
  },
  {
    what: "a path from the root",
    isUncut: true,
    files: { "a.csv": "id,name\n1,a\n" },
    config: (folder) => ({ folder: "/", path: `${folder.slice(1)}/a.csv`, file: "b" }),
    rows: rowsOf(columns, ["1", "a"]),
  },
  {
    what: "a path of one character",
    isUncut: true,
    files: { a: "id,name\n1,a\n", "a.csv": "" },
    config: { path: "a" },
    rows: rowsOf(columns, ["1", "a"]),
  },
  {
    what: "a whole path without a folder",
    isUncut: true,
    files: { "a.csv": "id,name\n1,a\n" },
    config: (folder) => ({
      folder: undefined,
      path: join(folder, "a.csv"),
      file: join(folder, "b.csv"),
    }),
    rows: rowsOf(columns, ["1", "a"]),
    writes: [
      {
        patches: [{ key: { id: 1 }, set: {} }],
        answers: ["written"],
        leaves: { "b.csv 600": "id\n1\n" },
      },
    ],
  },
  {
    what: "a file that is called like a pattern",
    isUncut: true,
    files: { "a[1].csv": "id,name\n1,a\n", "a1.csv": "id,name\n2,b\n" },
    config: { path: "a[1].csv" },
    columns,
    rows: rowsOf(columns, ["1", "a"]),
  },
  {
    what: "a link to a file that is elsewhere",
    isUncut: true,
    files: { "in/rows.csv": "id,name\n1,a\n" },
    config: { path: "link.csv" },
    prepare: async (folder) => await symlink("in/rows.csv", join(folder, "link.csv")),
    columns,
    rows: rowsOf(columns, ["1", "a"]),
  },
];

/** A header, rows, and the column that names a row. */
const keys: readonly (readonly [text: string, key: readonly string[]])[] = [
  ["name,account_id\na,1\nb,2\n", ["account_id"]],
  ["name,accountId\na,1\nb,2\n", ["accountId"]],
  ["paid,id\n1,1\n2,1\n", []],
  ["old-id,id\n1,1\n1,2\n", ["id"]],
  ["ID,id\n,1\n2,2\n", ["id"]],
  ["name,identity\na,1\n", []],
];

/** The suggested key of files. */
const keyed: readonly CsvCase[] = keys.map(([text, key]) => {
  const [names = [], ...rows] = text
    .trim()
    .split("\n")
    .map((line) => line.split(","));
  return {
    what: `a file of ${names.join(", ")}`,
    isUncut: true,
    files: { "a.csv": text },
    columns: names,
    rows: rowsOf(names, ...rows),
    discoveries: [discovered("a.csv", names, { from: {}, key })],
  };
});

/** Files next to each other, and the result as a whole. */
export const folderCases: readonly CsvCase[] = [...patterns, ...keyed];
