import { appendFile, mkdir, rename, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Row } from "../../../connectors/contract/connector.ts";
import { CoercionRefusal, LongNumber } from "../../../src/mapping/refusal.ts";
import type { TestCase, Thrown } from "../../../testing/case.ts";

/** A case in a file of its own; `change` receives its path. */
type Sketch = Omit<TestCase, "make" | "afterwards"> & {
  readonly text: string | Buffer;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly afterwards?: Omit<NonNullable<TestCase["afterwards"]>, "change"> & {
    change(path: string): Promise<void>;
  };
};

const file = "case.jsonl";
const lineBytesMax = 4 * 1024 * 1024;
const changed: Thrown = { code: "SourceChanged", says: "is not the file that was read before" };
const wrongPath: Thrown = { code: "ConfigError", field: "path" };

function ids(...numbers: readonly number[]): readonly Row[] {
  return numbers.map((id) => ({ id }));
}

function linesOf(...numbers: readonly number[]): string {
  return numbers.map((id) => `{"id":${id}}\n`).join("");
}

function noObject(line: number, row: string): NonNullable<TestCase["rejects"]>[number] {
  const reason = "the line is not a JSON object";
  return { where: `${file}:${line}`, code: "not_an_object", reason, row };
}

/** A row of this many bytes. */
function rowOf(bytes: number): { readonly row: Row; readonly line: string } {
  const row = { a: "x".repeat(bytes - '{"a":""}'.length) };
  return { row, line: JSON.stringify(row) };
}

function tooLong(line: number): NonNullable<TestCase["rejects"]>[number] {
  const reason = "the line is longer than 4 MiB";
  return { where: `${file}:${line}`, code: "line_too_long", reason, row: "" };
}

/** Values that JSON allows, as they are written, and whether their bytes suffice: not if nested or with an escape. */
const values: readonly (readonly [text: string, isTold: boolean])[] = [
  ['"a text"', true],
  ['""', true],
  ['"\u00e9 \u6771"', true],
  ["true", true],
  ["false", true],
  ["null", true],
  ["0", true],
  ["-0.5", true],
  ["10.25", true],
  ["1e3", true],
  ["2E-2", true],
  ["1.5e+10", true],
  [String.raw`"\" \\ \/ \b \f \n \r \t"`, false],
  [String.raw`"\u00e9 \uD83D\uDE00"`, false],
  ["{}", false],
  ["[ ]", false],
  ['{"b":[1,"x",{"c":null}], "d" : true}', false],
  ['[[],[1 , 2],{"e":"f"}]', false],
];

/** Texts that look like values, but are not valid JSON. */
const noValues: readonly string[] = [
  ["tru", "nul", "falsy", "True", "undefined", "NaN"],
  ["01", "-", "+1", ".5", "1.", "1.e2", "1e", "1e+", "- 1", "0x10", "1 2"],
  ['"open', String.raw`"\q"`, String.raw`"\u12"`, '"\t"', "'a'"],
  ["g234", "1g34", "12g4", "123g"].map((digits) => String.raw`"\u${digits}"`),
  ["{", '{"b"}', '{"b" 1}', '{"b":1,}', "{b:1}", '{"b":1 "c":2}', "{1:2}", '{"b":}'],
  ["[", "[1,]", "[1 2]", "[,]", "[1}", '{"b":1]'],
].flat();

/** Rows with each value, with and without blanks. */
const valueLines = values.flatMap(([text], index) => [
  `{"id":${index},"a":${text}}`,
  `\t{ "id" : ${index} , "a" :\t${text} } \r`,
]);

const inBytes = values.filter(([, isTold]) => isTold).length;

const longest = rowOf(lineBytesMax);
const longer = rowOf(lineBytesMax + 1);

/** The contents of files that are read whole. */
const texts: readonly Sketch[] = [
  {
    what: "a byte order mark, CRLF, blank lines, and a last line without its end",
    text: '\uFEFF{"a":1}\r\n\n \t\r\n[1]\n{"a"\n{"a":"\u00e9"}\n"x"\nnull\n{"a":2}',
    rows: [{ a: 1 }, { a: "\u00e9" }, { a: 2 }],
    rejects: [noObject(4, "[1]"), noObject(5, '{"a"'), noObject(7, '"x"'), noObject(8, "null")],
  },
  {
    what: "a line that is not UTF-8",
    text: Buffer.concat([
      Buffer.from('{"a":"\u20ac"}\n{'),
      Buffer.from([0xff]),
      Buffer.from("\n{}\n"),
    ]),
    rows: [{ a: "\u20ac" }, {}],
    rejects: [
      {
        where: `${file}:2`,
        code: "invalid_encoding",
        reason: "the line is not UTF-8",
        row: "{\uFFFD",
      },
    ],
  },
  {
    what: "numbers of many digits, and objects in objects",
    text: '{"id":9007199254740993,"constructor":{"a":[1,null,true]}}\n{"id":-0.5}\n',
    rows: [
      { id: new LongNumber("9007199254740993"), constructor: { a: [1, null, true] } },
      { id: -0.5 },
    ],
  },
  {
    what: "each kind of value",
    text: valueLines.join("\n"),
    rows: values.flatMap(([text], id) => {
      const row = { id, a: JSON.parse(text) as unknown };
      return [row, row];
    }),
    cells: 2 * (values.length + inBytes),
  },
  {
    what: "what is no value",
    text: noValues.map((text) => `{"a":${text}}\n`).join(""),
    rejects: noValues.map((text, index) => noObject(index + 1, `{"a":${text}}`)),
    findings: [{ name: file, ok: false }],
  },
  {
    what: "members that come and go, in another order, twice, and with no name",
    text: [
      '{"a":1,"b":2}',
      '{"b":3,"a":4}',
      '{"c":5}',
      '{"a":6,"c":7,"b":8}',
      '{"":9}',
      '{"a":1,"a":2}',
      String.raw`{"\u0061":3}`,
    ].join("\n"),
    rows: [
      { a: 1, b: 2 },
      { b: 3, a: 4 },
      { c: 5 },
      { a: 6, c: 7, b: 8 },
      { "": 9 },
      { a: new CoercionRefusal("duplicate_json_key", "is twice in one JSON object") },
      { a: 3 },
    ],
    cells: 9,
  },
  {
    what: "lines of 4 MiB and longer ones",
    // The first page ends after the first line, and the second has no row.
    text: [longest.line, longer.line, "{}", longer.line + longer.line, longest.line].join("\n"),
    rows: [longest.row, {}, longest.row],
    rejects: [tooLong(2), tooLong(4)],
    findings: [{ name: file, ok: true }],
  },
  { what: "an empty file", text: "", findings: [{ name: file, ok: true }] },
  {
    what: "a file of another kind",
    text: "id,name\n1,x\n",
    rejects: [noObject(1, "id,name"), noObject(2, "1,x")],
    findings: [{ name: file, ok: false, fix: "give a file with one JSON object on each line" }],
  },
  {
    what: "one line without its end, of a file of which nothing is promised",
    text: '{"id":1}',
    config: { append_only: undefined },
    rows: ids(1),
    findings: [{ name: file, ok: true }],
  },
  {
    what: "a last line of one byte without its end",
    text: `${linesOf(1)}7`,
    rows: ids(1),
    rejects: [noObject(2, "7")],
  },
  {
    what: "a file that was touched meanwhile",
    text: linesOf(1, 2, 3, 4),
    rows: ids(1, 2, 3, 4),
    afterwards: { change: async (path) => await utimes(path, 1, 1), throws: changed },
  },
];

async function replaced(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

const wide = (id: number): Row => ({ id, wide: "x".repeat(6_000) });
const wideLines = (...numbers: readonly number[]): string =>
  numbers.map((id) => `${JSON.stringify(wide(id))}\n`).join("");

/** Files that only grow, as promised, and others. */
const growing: readonly Sketch[] = [
  {
    what: "a last line that is still being written, and then is",
    text: `${linesOf(1, 2)}\n{"id":3`,
    rows: ids(1, 2),
    afterwards: {
      change: async (path) => await appendFile(path, '3}\n17\n{"id":4}\n{"id":5'),
      rows: ids(33, 4),
      rejects: [noObject(5, "17")],
    },
  },
  {
    what: "a file that was copied, and grew",
    text: linesOf(1, 2, 3),
    rows: ids(1, 2, 3),
    afterwards: {
      change: async (path) => await replaced(path, linesOf(1, 2, 3, 4)),
      rows: ids(4),
    },
  },
  {
    what: "a file of more than 16 KiB that grows",
    text: wideLines(1, 2, 3, 4),
    rows: [1, 2, 3, 4].map(wide),
    afterwards: {
      change: async (path) => await appendFile(path, wideLines(5)),
      rows: [4, 5].map(wide),
    },
  },
  ...[
    { other: "with another beginning", text: linesOf(9, 2, 3, 4) },
    { other: "with another end, and no line more", text: linesOf(1, 2, 9) },
    { other: "of fewer lines", text: linesOf(1) },
  ].map(({ other, text }) => ({
    what: `a file that is replaced by one ${other}`,
    text: linesOf(1, 2, 3),
    rows: ids(1, 2, 3),
    afterwards: {
      change: async (path: string) => await replaced(path, text),
      throws: changed,
    },
  })),
  {
    what: "a file of more than 16 KiB that is replaced",
    text: wideLines(1, 2, 3, 4),
    rows: [1, 2, 3, 4].map(wide),
    afterwards: {
      change: async (path) => await replaced(path, wideLines(1, 2, 9, 4)),
      throws: changed,
    },
  },
  {
    what: "a file that loses its end",
    text: linesOf(1, 2, 3, 4),
    rows: ids(1, 2, 3, 4),
    afterwards: { change: async (path) => await truncate(path, 9), throws: changed },
  },
];

/** Members that the schema must refuse; for an empty path a read would say that it is a folder. */
const wrong: readonly (readonly [field: string, members: object, says?: string])[] = [
  ["path", { path: undefined }],
  ["path", { path: "" }, "Too small"],
  ["append_only", { append_only: "yes" }],
  ["folder", { folder: 5 }],
  ["", { paths: "a" }],
];

/** Paths that lead to no file. */
const misled: readonly (readonly [what: string, path: string])[] = [
  ["nothing", "nothing.jsonl"],
  ["something below a file", `${file}/below.jsonl`],
  ["a name that no system knows", "a\0b"],
  ["a name that is too long", "x".repeat(300)],
  ["a link that leads to itself", "loop.jsonl"],
];

/** Files that may hold JSON lines, in a folder, and paths that lead to no file. */
export function jsonlCases(folder: string): readonly TestCase[] {
  const path = join(folder, file);
  const grown = growing.map((sketch) => ({ ...sketch, config: { append_only: true } }));
  const written = [...texts, ...grown].map(({ text, config, afterwards, ...told }): TestCase => {
    const make = async (): Promise<Readonly<Record<string, unknown>>> => {
      await writeFile(path, text);
      return { path: file, ...config };
    };
    if (afterwards === undefined) return { ...told, make };
    const change = async (): Promise<void> => await afterwards.change(path);
    return { ...told, make, afterwards: { ...afterwards, change } };
  });
  const refused = wrong.map(([field, members, says = ""]) => ({
    what: `a wrong ${field}: ${JSON.stringify(members)}`,
    make: async () => ({ ...members }),
    throws: { code: "ConfigError", field, says },
  }));
  const lost = misled.map(([what, to]) => ({
    what: `a path to ${what}`,
    make: async () => {
      await symlink("loop.jsonl", join(folder, "loop.jsonl")).catch(() => undefined);
      return { path: to };
    },
    throws: { ...wrongPath, says: "cannot be read" },
    findings: [{ name: to, ok: false, fix: "set `path` to a file that this process may read" }],
  }));
  const noFile = {
    what: "a path to a folder",
    make: async () => {
      await mkdir(join(folder, "folder"), { recursive: true });
      return { path: "folder" };
    },
    throws: { ...wrongPath, says: "folder is not a file" },
  };
  const short = {
    what: "a file whose name is one letter",
    make: async () => {
      await writeFile(join(folder, "a"), linesOf(1));
      return { path: "a" };
    },
    rows: ids(1),
  };
  return [...written, ...refused, ...lost, noFile, short];
}
