import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { cellRowBytesMax } from "../../../connectors/postgres/limits.ts";
import { recordMappingSchema } from "../../../src/mapping/schema.ts";
import type { RowPage } from "../../../src/pipeline/page.ts";
import { postgres, type TestDatabase } from "../../support/postgres/postgres.ts";
import { numbers } from "../../support/sequences.ts";
import { isProving, trials } from "../../support/trials.ts";
import { columns, mapping, values } from "../csv/plain-rows.ts";
import { asObjects, linesOf, needsObjects } from "../lines-of.ts";
import { pagesOf, readRequestOf } from "./support.ts";

/** Rows as the engine reads them, some of them requested as objects: `made` counts those. */
type Watched = { readonly pages: readonly RowPage[]; readonly made: () => number };

function watched(pages: readonly RowPage[]): Watched {
  let made = 0;
  const noting = pages.map((page): RowPage => {
    const { cells } = page;
    if (cells === undefined) return page;
    const row = (index: number) => {
      made += 1;
      return cells.row(index);
    };
    return { ...page, rows: [], cells: { ...cells, row } };
  });
  return { pages: noting, made: () => made };
}

/** A mapping of a single column. */
function mappedAs(
  rule: object,
  key: unknown = "id",
): {
  readonly stream: "account";
  readonly record: ReturnType<typeof recordMappingSchema.parse>;
  readonly bytesMax: number;
} {
  const record = recordMappingSchema.parse({
    account_id: key,
    domain: { value: "a.example" },
    account_properties: { value: rule },
  });
  return { stream: "account", record, bytesMax: 1_000_000 };
}

const lineOfOne = z.object({ account_properties: z.object({ value: z.string() }) });

/** The value in the only line of a page. */
function valueIn(page: object | undefined): string {
  const { jsonl } = z.object({ jsonl: z.string() }).parse(page);
  return lineOfOne.parse(JSON.parse(jsonl)).account_properties.value;
}

/** A table with one row for each of the texts, and one more of NULLs. */
async function tableOf(
  { query }: Pick<TestDatabase, "query">,
  types: Readonly<Record<string, string>>,
  rows: readonly Readonly<Record<string, string | null>>[],
): Promise<void> {
  const defined = Object.entries(types).map(([name, type]) => `${JSON.stringify(name)} ${type}`);
  await query(`create table t (n int primary key, ${defined.join(", ")})`);
  const json = JSON.stringify(rows.map((row, n) => ({ n, ...row }))).replaceAll("'", "''");
  await query(`insert into t select * from json_populate_recordset(null::t, '${json}')`);
}

/** An expression, the JSON that the mapping reads or the code of its reject, and whether that needs an object. */
const golden: readonly (readonly [sql: string, json: string, needsObject?: "object"])[] = [
  ["null::text", "null"],
  ["''::text", '""'],
  ["'ü'::text", '"ü"'],
  ["'ab '::varchar", '"ab "'],
  ["'ab'::char(5)", '"ab"'],
  ["'Ü'::char(5)", '"Ü"'],
  ["''::char(5)", '""'],
  ["'x'::name", '"x"'],
  ['\'"\'::"char"', String.raw`"\""`],
  ["null::int", "null"],
  ["'-32768'::smallint", '"-32768"'],
  ["9223372036854775807", '"9223372036854775807"'],
  ["12345678901234567890.1234567890", '"12345678901234567890.1234567890"'],
  ["0.1::real", '"0.1"'],
  ["0.1::float8 + 0.2::float8", '"0.30000000000000004"'],
  ["1e300::float8", '"1e+300"'],
  ["'NaN'::float8", "not_number", "object"],
  ["'-Infinity'::real", "not_number", "object"],
  ["'Infinity'::numeric", "not_number", "object"],
  ["7::positive", '"7"'],
  ["true", '"true"'],
  ["false", '"false"'],
  ["null::boolean", "null"],
  ["'ok'::mood", '"ok"'],
  [`'{"n": 9007199254740993}'::jsonb`, String.raw`"{\"n\": 9007199254740993}"`],
  ["'[1,  2]'::json", '"[1,  2]"'],
  ["'null'::jsonb", '"null"'],
  ["'1 2'::int2vector", '"1 2"'],
  [String.raw`'\xDEAD'::bytea`, "not_text", "object"],
  ["null::bytea", "null"],
  ["gen_random_uuid() is null", '"false"'],
  ["'00000000-0000-0000-0000-000000000001'::uuid", '"00000000-0000-0000-0000-000000000001"'],
  ["'192.0.2.1/32'::inet", '"192.0.2.1"'],
  ["'12.50'::money::numeric", '"12.50"'],
  ["timestamptz '2024-03-10 00:00:00.123456+09'", '"2024-03-09T15:00:00.123456Z"'],
  ["timestamptz '2024-03-10 00:00:00+09'", '"2024-03-09T15:00:00.000000Z"'],
  ["timestamptz '2024-03-10 00:00:00.1+00'", '"2024-03-10T00:00:00.100000Z"'],
  ["timestamptz '2024-03-10 00:00:00.12345+00'", '"2024-03-10T00:00:00.123450Z"'],
  ["timestamptz '0001-01-01 00:00:00+00'", '"0001-01-01T00:00:00.000000Z"'],
  ["timestamptz '9999-12-31 23:59:59.999999+00'", '"9999-12-31T23:59:59.999999Z"'],
  ["timestamptz '10000-01-01 00:00:00+00'", "not_datetime", "object"],
  ["timestamptz '0044-03-15 00:00:00+00 BC'", "not_datetime", "object"],
  ["timestamptz 'infinity'", "not_datetime", "object"],
  ["null::timestamptz", "null"],
  ["timestamp '2024-03-10 12:00:00'", '"2024-03-10T12:00:00.000000"'],
  ["timestamp '2024-03-10 12:00:00.5'", '"2024-03-10T12:00:00.500000"'],
  ["timestamp '2024-03-10 12:00:00.5 BC'", "not_datetime", "object"],
  ["timestamp '-infinity'", "not_datetime", "object"],
  ["date '2024-03-10'", '"2024-03-10"'],
  ["date '12024-03-10'", "not_date", "object"],
  ["date '0044-03-15 BC'", "not_date", "object"],
  ["date 'infinity'", "not_date", "object"],
  ["time '15:00'", '"15:00:00"'],
  ["interval '1 year 2 days 03:04:05'", '"P1Y2DT3H4M5S"'],
  ["array[1, null, 3]", '"[1,null,3]"', "object"],
  ["array['a', null, 'c,d']", String.raw`"[\"a\",null,\"c,d\"]"`, "object"],
  ["null::int[]", "null"],
  ["array[date 'infinity']", "not_date", "object"],
];

describe("the cells of a page", () => {
  it("hold what the rows hold, of every type", { timeout: 30_000 }, async () => {
    const { query, url } = await postgres();
    await query(`create type mood as enum ('sad', 'ok');
      create domain positive as int check (value > 0)`);
    const selected = golden.map(([sql], at) => `${sql} as c${at}`);
    const from = { query: `select 'k1'::text as id, ${selected.join(", ")}`, key: ["id"] };
    const pages = await pagesOf(readRequestOf(url, from));
    for (const [at, [sql, json, needsObject]] of golden.entries()) {
      const asked = mappedAs({ column: `c${at}`, empty: "keep" });
      const { pages: noting, made } = watched(pages);
      const [line] = await linesOf(noting, asked);
      const isReject = needsObject !== undefined && !json.startsWith('"');
      const properties = `"account_properties":{"value":${json}}`;
      const written = `{"type":"account","account_id":"k1","domain":"a.example",${properties}}\n`;
      expect({ sql, needsObject: made() > 0, ...line }).toMatchObject({
        sql,
        needsObject: needsObject !== undefined,
        jsonl: isReject ? "" : written,
        rejects: isReject ? [{ code: json, place: "query:k1" }] : [],
      });
      expect([line]).toEqual(await linesOf(asObjects(pages), asked));
      const lower = mappedAs({ column: `c${at}`, lowercase: true });
      expect(await linesOf(pages, lower)).toEqual(await linesOf(asObjects(pages), lower));
    }
  });

  it.each([
    ["texts", Object.fromEntries(columns.map((name) => [name, "text"])), values],
    [
      "other types",
      {
        id: "varchar",
        site: "char(30)",
        name: "text",
        constructor: "boolean",
        "a.b": "timestamptz",
        "10": "numeric",
        "2": "date",
        more: "float8",
        absent: "bytea",
      },
      undefined,
    ],
  ])(
    "become the lines that the rows become, whatever the mapping: %s",
    { timeout: 60_000 },
    async (_, types, texts) => {
      const database = await postgres();
      const valueOf = (type: string): fc.Arbitrary<string | null> => {
        const some = samples[type] ?? [];
        const of = fc.constantFrom(...(texts ?? [...some, ...(some.length === 0 ? values : [])]));
        return fc.oneof(
          { weight: 5, arbitrary: of },
          { weight: 1, arbitrary: fc.constantFrom(null) },
        );
      };
      const one = fc.record(
        Object.fromEntries(Object.entries(types).map(([name, type]) => [name, valueOf(type)])),
      );
      await tableOf(database, types, fc.sample(one, { numRuns: 300, seed: 17 }));
      const all = await pagesOf(readRequestOf(database.url, { table: "t" }), { pageRowsMax: 9 });
      let plain = 0;
      await fc.assert(
        fc.asyncProperty(
          mapping,
          fc.constantFrom(1_000_000, 200),
          fc.nat(all.length - 1),
          async ({ stream, mapping: mapped }, bytesMax, at) => {
            const pages = all.slice(at, at + 2);
            const record = recordMappingSchema.parse(mapped);
            const asked = { stream, record, bytesMax };
            expect(await linesOf(pages, asked)).toEqual(await linesOf(asObjects(pages), asked));
            if (!needsObjects(asked)) plain += 1;
          },
        ),
        { numRuns: trials(200) },
      );
      // Otherwise nothing was compared.
      expect(plain).toBeGreaterThan(40);
    },
  );

  it("have room for values that all grow", async () => {
    const { query, url } = await postgres();
    const times = numbers(20).map((at) => `t${at} timestamp default '2024-03-10 15:00:00'`);
    await query(`create table t (id int primary key, ${times.join(", ")});
      insert into t (id) select generate_series(1, 1000)`);
    // So many that they outgrow the rounding of memory sizes; a cell without room is read as an object.
    const pages = await pagesOf(readRequestOf(url, { table: "t" }), { pageRowsMax: 1_000 });
    const { pages: noting, made } = watched(pages);
    const t19 = mappedAs({ column: "t19" });
    expect([await linesOf(noting, t19), made()]).toEqual([await linesOf(asObjects(pages), t19), 0]);
  });

  it("reads as an object what looks into a value that is none", async () => {
    const { query, url } = await postgres();
    await query(String.raw`create table t (id text primary key, photo bytea, name text);
      insert into t values ('k1', '\xdead', 'x'), ('k2', null, null)`);
    const pages = await pagesOf(readRequestOf(url, { table: "t" }));
    for (const rule of [
      { column: "photo.of" },
      { template: "{photo.of}" },
      { column: "name.of" },
    ]) {
      const asked = mappedAs({ ...rule, empty: "keep" });
      expect(await linesOf(pages, asked)).toEqual(await linesOf(asObjects(pages), asked));
    }
  });

  it.each([
    [cellRowBytesMax - 100, 100_000_000],
    [cellRowBytesMax, 100_000_000],
    [1_000_000, 100_000_000],
    [1_000_000, 1_000_000],
    [isProving ? 50_000_000 : 2_000_000, 1_000_000],
  ])(
    "give a value of %i bytes as the rows give it, where a line may have %i",
    { timeout: 60_000 },
    async (bytes, bytesMax) => {
      const { query, url } = await postgres();
      await query(`create table t (id text primary key, body text);
        alter table t alter body set storage external;
        insert into t values ('k1', repeat('x', ${bytes})), ('k2', 'short'), ('k3', null)`);
      const pages = await pagesOf(readRequestOf(url, { table: "t" }));
      const asked = { ...mappedAs({ column: "body" }), bytesMax };
      const lines = await linesOf(pages, asked);
      // With a constant key a row could be a line even if all its cells were empty.
      const keyed = { ...mappedAs({ column: "body" }, { value: "k" }), bytesMax };
      for (const [how, came] of [
        [asked, lines] as const,
        [keyed, await linesOf(pages, keyed)] as const,
      ]) {
        // Compared by hand, because showing a difference of such texts takes minutes.
        expect(JSON.stringify(came) === JSON.stringify(await linesOf(asObjects(pages), how))).toBe(
          true,
        );
      }
      const rejects = bytes < bytesMax ? [] : [{ code: "too_large", place: "public.t:k1" }];
      expect(lines).toMatchObject([{ rejects }]);
    },
  );

  it.each(["LATIN1", "EUC_JP"])("are UTF-8 where the database is %s", async (encoding) => {
    const { query, url } = await postgres();
    const name = `${new URL(url).pathname.slice(1)}_other`;
    await query(`create database ${name} template template0 encoding '${encoding}' locale 'C'`);
    try {
      const other = Object.assign(new URL(url), { pathname: `/${name}` }).href;
      const text = encoding === "LATIN1" ? "é" : "東京";
      const select = `select 'k1'::text as id, convert_from('${text}'::bytea, 'UTF8') as name`;
      const ask = readRequestOf(other, {
        query: select.replace(`'${text}'::bytea`, hexOf(text)),
        key: ["id"],
      });
      const [line] = await linesOf(await pagesOf(ask), mappedAs({ column: "name" }));
      expect(valueIn(line)).toBe(text);
    } finally {
      await query(`drop database ${name} with (force)`);
    }
  });

  it("are objects where what came is no UTF-8, because a query sets another encoding", async () => {
    const { url } = await postgres();
    // In k1 a letter is cut in two: together the cells are UTF-8, but neither is alone.
    const query = `select id, a, b, set_config('client_encoding', 'LATIN1', false) as was
      from (values ('k1', 'aæ', chr(157) || chr(177)), ('k2', 'é', 'A'), ('k3', 'Ã©', 'b')) as of (id, a, b)`;
    const pages = await pagesOf(readRequestOf(url, { query, key: ["id"] }), { pageRowsMax: 1 });
    const read = { a: ["a�", "�", "é"], b: ["��", "A", "b"] };
    for (const [column, texts] of Object.entries(read)) {
      const { pages: noting, made } = watched(pages);
      const lines = await linesOf(noting, mappedAs({ column }));
      expect(lines).toEqual(await linesOf(asObjects(pages), mappedAs({ column })));
      expect(lines.map(valueIn)).toEqual(texts);
      expect(made()).toBe(texts.filter((text) => text.includes("�")).length);
    }
  });
});

/** Values of types that do not accept any text. */
const samples: Readonly<Record<string, readonly string[]>> = {
  boolean: ["true", "false"],
  timestamptz: [
    "2024-02-29 12:00:00+02",
    "2024-02-29 12:00:00.5+00",
    "infinity",
    "12024-01-01 00:00+00",
  ],
  numeric: ["0", "-1.50", "NaN", "12345678901234567890", "0.0000001", "1e3"],
  date: ["2024-02-29", "infinity", "12024-01-01"],
  float8: ["0", "1e300", "-0", "NaN", "1.5"],
  bytea: [String.raw`\xdead`],
  "char(30)": ["a.example", "  a", "Ü"],
};

function hexOf(text: string): string {
  return `'\\x${Buffer.from(text).toString("hex")}'::bytea`;
}
