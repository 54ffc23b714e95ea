import { describe, expect, it } from "vitest";

import { columnsShownMax } from "../../../../connectors/postgres/limits.ts";
import {
  parseTable,
  quoteTable,
  shownColumns,
  shownTable,
} from "../../../../connectors/postgres/sql/identifier.ts";
import { ConfigError } from "../../../../src/errors.ts";
import { quoteName } from "../../../../src/postgres/names.ts";
import { postgres } from "../../../support/postgres/postgres.ts";
import { numbers } from "../../../support/sequences.ts";

/** Names that have broken out of statements elsewhere (docs/facts/threats.md#t4). */
const names = [
  "plain",
  "Mixed Case",
  'quo"te',
  '"',
  "single'quote",
  "$1",
  "%I",
  String.raw`back\slash`,
  "x; drop table victim; --",
  "sélect",
  "select",
  "a".repeat(63),
  "é".repeat(31),
];

describe("quoteName", () => {
  it("makes names that the server takes letter by letter", async () => {
    const { admin, query } = await postgres();
    for (const name of names) await query(`create table ${quoteName(name)} (id int)`);
    const { rows } = await admin.query<{ relname: string }>(
      "select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
    );
    expect(new Set(rows.map(({ relname }) => relname))).toEqual(new Set(names));
  });

  it.each([
    ["an empty name", ""],
    ["a NUL", "a\0b"],
    ["64 bytes", "a".repeat(64)],
    ["64 bytes of two each", "é".repeat(32)],
  ])("refuses %s", (_, name) => {
    expect(() => quoteName(name)).toThrow(ConfigError);
  });
});

describe("parseTable", () => {
  it.each(names)("reads the name %s as it is shown", (name) => {
    expect(parseTable(shownTable({ table: name }))).toEqual({ table: name });
    const both = { schema: name, table: name };
    expect(parseTable(shownTable(both))).toEqual(both);
  });

  it.each([
    ["crm.Companies", '"crm"."Companies"'],
    ['"my.schema".t', '"my.schema"."t"'],
    ['"a""b"', '"a""b"'],
  ])("reads %s", (text, quoted) => {
    const parsed = parseTable(text);
    expect(parsed && quoteTable(parsed)).toBe(quoted);
  });

  it.each(["", ".", "a.", ".a", "a.b.c", '"a', 'a"b', '""', "a..b", '"a"b', "a".repeat(64)])(
    "takes %j for no table",
    (text) => {
      expect(parseTable(text)).toBeUndefined();
    },
  );
});

describe("shownColumns", () => {
  it.each([columnsShownMax - 1, columnsShownMax, columnsShownMax + 1])(
    "lists %i columns, and says how many it left out",
    (count) => {
      const text = shownColumns(numbers(count).map((at) => `c${at}`));
      expect(text.split(", ")).toHaveLength(Math.min(count, columnsShownMax));
      expect(text.endsWith(" and 1 more")).toBe(count > columnsShownMax);
    },
  );
});
