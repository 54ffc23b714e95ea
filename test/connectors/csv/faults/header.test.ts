import { describe, expect, it } from "vitest";

import { columnsOfCsv } from "../../../../connectors/csv/check.ts";
import { messageOf } from "../../../../src/errors.ts";
import { configOf, keptLog, pagesOf, readContent, withFolder } from "../support.ts";

const cannot = "ConfigError: a.csv:1: the header line cannot be used:";

describe("a header line", () => {
  it.each([
    ["names a column twice", "id,name,id\n1,a,2\n", `${cannot} columns 1, 3 share a name`],
    ["leaves a column without a name", "id,,name\n1,a,b\n", `${cannot} column 2 has no name`],
    [
      "is missing, because the file is empty",
      "",
      "ConfigError: a.csv has no header line: it is empty",
    ],
    [
      "is missing, because there is only a byte order mark",
      "\ufeff",
      "ConfigError: a.csv has no header line: it is empty",
    ],
  ])("stops the file before its first row when it %s", async (_, content, error) => {
    expect(await readContent(content)).toEqual({ items: [], error });
  });

  it("is not missed in an empty file whose columns are named", async () => {
    expect(await readContent("", { columns: ["id"] })).toEqual({ items: [] });
    expect(await readContent("\ufeff", { columns: ["id"] })).toEqual({ items: [] });
  });

  it("yields no row and no error when nothing comes after it", async () => {
    expect(await readContent("id,name\n")).toEqual({ items: [] });
  });

  it("that is a row already is in no error that Temporal keeps, neither at opening nor in a read", async () => {
    const rows = "ann@acme.example,Ann Smith,ann@acme.example,Ann Smith\nbob@acme.example,Bob,,\n";
    const { error } = await readContent(rows);
    expect(error).toBe(`${cannot} columns 1, 3 share a name, columns 2, 4 share a name`);
    await withFolder({ "a.csv": rows }, async (folder) => {
      const ask = {
        config: configOf(folder),
        signal: new AbortController().signal,
        log: keptLog(),
      };
      const thrown: unknown = await columnsOfCsv(ask).catch((caught: unknown) => caught);
      expect(JSON.stringify([messageOf(thrown), thrown])).not.toMatch(/Ann|Smith|acme/);
    });
  });

  it("makes every name a plain column, `__proto__` and `constructor` too", async () => {
    const text = "id,__proto__,constructor,toString\n1,2,3,4\n";
    await withFolder({ "a.csv": text }, async (folder) => {
      const [page] = await pagesOf(configOf(folder));
      const [row] = page?.rows ?? [];
      expect(Object.entries(row ?? {})).toEqual([
        ["id", "1"],
        ["__proto__", "2"],
        ["constructor", "3"],
        ["toString", "4"],
      ]);
      expect(Object.keys(Object.prototype)).toEqual([]);
    });
    await withFolder({ "a.csv": "id\n1\n" }, async (folder) => {
      const [page] = await pagesOf(configOf(folder));
      const [row] = page?.rows ?? [];
      expect(
        ["__proto__", "constructor", "toString"].filter((name) => name in (row ?? {})),
      ).toEqual([]);
    });
  });

  it.each([
    [";", "id;name\n1;a\n"],
    ["tab", "id\tname\n1\ta\n"],
  ])(
    "with %s as delimiter is recognised, and stops the file when another one is set",
    async (name, content) => {
      expect(await readContent(content)).toEqual({ items: ['a.csv:2 {"id":"1","name":"a"}'] });
      const shown = name === "tab" ? name : `"${name}"`;
      expect(await readContent(content, { delimiter: "," })).toEqual({
        items: [],
        error: `ConfigError: a.csv:1: the header line has one column with the delimiter ",", and holds ${shown}`,
      });
    },
  );
});
