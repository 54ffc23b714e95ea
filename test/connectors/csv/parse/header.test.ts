import { describe, expect, it } from "vitest";

import { columnsMax } from "../../../../connectors/csv/limits.ts";
import { openFile } from "../../../../connectors/csv/open.ts";
import { readLayout, type Layout } from "../../../../connectors/csv/parse/header.ts";
import { ConfigError, messageOf } from "../../../../src/errors.ts";
import { configOf, withFolder } from "../support.ts";

async function layoutOf(
  content: string | Uint8Array,
  members: object = {},
  mayName = false,
): Promise<Layout | undefined> {
  return await withFolder({ "a.csv": content }, async (folder) => {
    const config = configOf(folder, members);
    const file = await openFile({ place: "a.csv", path: `${folder}/a.csv` }, config.append_only);
    try {
      return await readLayout(file, config, { signal: new AbortController().signal, mayName });
    } finally {
      await file.handle.close();
    }
  });
}

async function refusalOf(
  content: string | Uint8Array,
  members: object = {},
): Promise<[string, (string | undefined)?]> {
  const error = await layoutOf(content, members).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ConfigError);
  return error instanceof ConfigError ? [error.message, error.field] : [""];
}

function headerOf(columns: number): string {
  return `${Array.from({ length: columns }, (_, index) => `c${index}`).join(",")}\n`;
}

describe("readLayout", () => {
  it("reads names, delimiter and where the rows begin", async () => {
    expect(await layoutOf('id;"two\nlines";__proto__\r\n1;2;3')).toEqual({
      encoding: "utf-8",
      dialect: { delimiter: ";", quote: '"' },
      columns: ["id", "two\nlines", "__proto__"],
      offset: 26,
      line: 3,
    });
  });

  it("takes the delimiter from the line that tells it to Excel, and passes over it", async () => {
    const [utf8, utf16] = [
      "sep=;\r\nid;name\r\n1;a\r\n",
      Buffer.from("\ufeffSEP=|\nid|na\n", "utf16le"),
    ];
    const columns = ["id", "name"];
    expect(await layoutOf(utf8)).toMatchObject({
      columns,
      dialect: { delimiter: ";" },
      offset: 16,
      line: 3,
    });
    expect(await layoutOf(utf16)).toMatchObject({ columns: ["id", "na"], offset: 26, line: 3 });
    expect(await layoutOf(utf8, { columns })).toMatchObject({ offset: 7, line: 2 });
    expect(await layoutOf("sep=|\nid,name\n", { delimiter: "," })).toMatchObject({ columns });
    // Only as the first line, and only if the line holds nothing else.
    expect(await layoutOf("sep=;a\n")).toMatchObject({ columns: ["sep=", "a"], line: 2 });
  });

  it.each(["\x1e", "\x1f"])(
    "takes the separator %j of ASCII for a delimiter",
    async (delimiter) => {
      const content = `id${delimiter}name\n1${delimiter}a\n`;
      expect(await layoutOf(content, { delimiter })).toMatchObject({ columns: ["id", "name"] });
    },
  );

  it("lets a byte order mark choose the encoding, and keeps it out of the names", async () => {
    const utf16 = Buffer.from("\ufeffid\tname\n", "utf16le");
    expect(await layoutOf("\ufeffid,name\n")).toMatchObject({
      columns: ["id", "name"],
      offset: 11,
    });
    for (const bytes of [utf16, Buffer.from(utf16).swap16()]) {
      const layout = await layoutOf(bytes);
      expect(layout).toMatchObject({ columns: ["id", "name"], offset: 18, line: 2 });
    }
  });

  it("passes over blank lines before the header line", async () => {
    expect(await layoutOf("\n\r\nid,name\n1,2\n")).toMatchObject({
      columns: ["id", "name"],
      line: 4,
    });
  });

  it("finds a header line after the first block", async () => {
    const content = `${"\n".repeat(600_000)}id,name\n`;
    expect(await layoutOf(content)).toMatchObject({ columns: ["id", "name"], line: 600_002 });
  });

  it("reads no header line where the columns are named", async () => {
    expect(await layoutOf("1;2\n", { columns: ["id", "name"] })).toMatchObject({
      columns: ["id", "name"],
      dialect: { delimiter: ";" },
      offset: 0,
      line: 1,
    });
  });

  it.each<[what: string, content: string | Uint8Array, message: string]>([
    ["an empty file", "", "a.csv has no header line: it is empty"],
    ["a byte order mark alone", "\ufeff", "a.csv has no header line: it is empty"],
    ["blank lines alone", "\n\r\n", "a.csv has no header line: it is empty"],
    [
      "an empty name",
      "id,,name,\n",
      "a.csv:1: the header line cannot be used: column 2, 4 has no name",
    ],
    [
      "a name twice",
      '\nid,"n",id,n\n',
      "a.csv:2: the header line cannot be used: columns 1, 3 share a name, columns 2, 4 share a name",
    ],
    ["a NUL", "id,na\0me\n", "a.csv:1: the header line cannot be used: a field holds a NUL"],
    [
      "another encoding",
      Buffer.from("id,caf\u00e9\n", "latin1"),
      "a.csv:1: the header line cannot be used: byte 6 is not utf-8",
    ],
    ["an open quote", 'id,"name\n1,2\n', "a.csv:1: a quote opened on this line is never closed"],
  ])("refuses %s before the first row", async (_, content, message) => {
    expect((await refusalOf(content))[0]).toBe(message);
  });

  it("names the columns of a file without names only where its first line is a row", async () => {
    const error = await layoutOf("Kunden Nr,Stadt,\n").catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      message: "a.csv:1: the header line cannot be used: column 3 has no name",
      hint:
        "Name each in the file, or take out the delimiter that makes it. " +
        "If the first line is a row, name the columns: columns: [id, name].",
    });
  });

  it("names what columns share where a person reads it, and nowhere else what may be a row", async () => {
    const row = "ACME,Ann Smith,ACME\n";
    const told = await layoutOf(row, {}, true).catch(messageOf);
    expect(told).toBe(
      'a.csv:1: the header line cannot be used: columns 1, 3 share the name "ACME"',
    );
    const error = await layoutOf(row).catch((caught: unknown) => caught);
    expect(JSON.stringify([messageOf(error), error])).not.toMatch(/ACME|Ann/);
  });

  it.each([
    [
      "id;name\n",
      ",",
      'a.csv:1: the header line has one column with the delimiter ",", and holds ";"',
    ],
    [
      "id\tname\n",
      ",",
      'a.csv:1: the header line has one column with the delimiter ",", and holds tab',
    ],
    [
      "id,name\n",
      "tab",
      'a.csv:1: the header line has one column with the delimiter tab, and holds ","',
    ],
  ])("refuses in %j the delimiter %j", async (content, delimiter, message) => {
    expect(await refusalOf(content, { delimiter })).toEqual([message, "delimiter"]);
  });

  it("believes a single quoted name", async () => {
    expect(await layoutOf('"a;b"\n', { delimiter: "," })).toMatchObject({ columns: ["a;b"] });
  });

  it("waits for the header line of an append-only file", async () => {
    expect(await layoutOf("id,na", { append_only: true })).toBeUndefined();
    expect(await layoutOf("", { append_only: true })).toBeUndefined();
  });

  it("takes columns up to the limit", async () => {
    for (const columns of [columnsMax - 1, columnsMax]) {
      expect((await layoutOf(headerOf(columns)))?.columns).toHaveLength(columns);
    }
    expect((await refusalOf(headerOf(columnsMax + 1)))[0]).toContain(
      `more than ${columnsMax} columns`,
    );
  });
});
