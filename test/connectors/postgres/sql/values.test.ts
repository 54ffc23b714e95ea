import { describe, expect, it } from "vitest";

import { coercions, type coercionNames } from "../../../../src/mapping/coerce.ts";
import { CoercionRefusal } from "../../../../src/mapping/refusal.ts";
import { postgres } from "../../../support/postgres/postgres.ts";
import { readRequestOf, columnIn, pagesOf } from "../support.ts";

/** The text, or the code of the refusal, of each expression's value. */
async function arriving(expressions: readonly string[]): Promise<readonly unknown[]> {
  const { query, url } = await postgres();
  // The settings of the role or the database must not show in a value.
  await query(`do $$ begin execute format('alter database %I set TimeZone = ''Asia/Tokyo''', current_database());
    execute format('alter database %I set DateStyle = ''German, DMY''', current_database());
    execute format('alter database %I set IntervalStyle = ''sql_standard''', current_database());
    execute format('alter database %I set bytea_output = ''escape''', current_database());
    execute format('alter database %I set extra_float_digits = -3', current_database()); end $$;
    create type mood as enum ('sad', 'ok'); create type constructor as enum ('ok');
    create type __proto__ as enum ('ok'); create type pair as (a int, b text);
    create domain positive as int check (value > 0)`);
  const columns = expressions.map((expression, index) => `${expression} as c${index}`);
  const pages = await pagesOf(
    readRequestOf(url, { query: `select 1 as id, ${columns.join(", ")}`, key: ["id"] }),
  );
  return expressions.map((_, index) => {
    const [value] = columnIn(pages, `c${index}`);
    return value instanceof CoercionRefusal ? { refused: value.code } : value;
  });
}

/** An expression on the server, and the value that arrives. */
type Golden = readonly (readonly [expression: string, value: unknown])[];

const numbers: Golden = [
  ["null::int", null],
  ["(-32768)::smallint", "-32768"],
  ["9223372036854775807::bigint", "9223372036854775807"],
  [
    "12345678901234567890.123456789012345678900::numeric",
    "12345678901234567890.123456789012345678900",
  ],
  ["1.50::numeric(10, 2)", "1.50"],
  ["0.1::real", "0.1"],
  ["0.1::float8 + 0.2::float8", "0.30000000000000004"],
  ["1e300::float8", "1e+300"],
  ["'NaN'::float8", { refused: "not_number" }],
  ["'NaN'::numeric", { refused: "not_number" }],
  ["'-Infinity'::real", { refused: "not_number" }],
  ["'Infinity'::numeric", { refused: "not_number" }],
  ["7::positive", "7"],
];

const times: Golden = [
  ["timestamptz '2024-03-10 00:00:00.123456+09'", "2024-03-09T15:00:00.123456Z"],
  ["timestamptz '2024-03-10 00:00:00+00'", "2024-03-10T00:00:00.000000Z"],
  ["timestamptz '0001-01-01 00:00:00+00'", "0001-01-01T00:00:00.000000Z"],
  ["timestamptz '9999-12-31 23:59:59.999999+00'", "9999-12-31T23:59:59.999999Z"],
  ["timestamptz '10000-01-01 00:00:00+00'", { refused: "not_datetime" }],
  ["timestamptz '0001-12-31 23:59:59+00 BC'", { refused: "not_datetime" }],
  ["timestamptz 'infinity'", { refused: "not_datetime" }],
  ["timestamp '2024-03-10 12:00:00.5'", "2024-03-10T12:00:00.500000"],
  ["timestamp '-infinity'", { refused: "not_datetime" }],
  ["date '2024-03-10'", "2024-03-10"],
  ["date '10000-01-01'", { refused: "not_date" }],
  ["date '0044-03-15 BC'", { refused: "not_date" }],
  ["date 'infinity'", { refused: "not_date" }],
  ["time '23:59:59.000001'", "23:59:59.000001"],
  ["interval '1 year 2 days 03:04:05'", "P1Y2DT3H4M5S"],
];

const texts: Golden = [
  ["''::text", ""],
  ["null::text", null],
  ["E'two\\nlines \\u00e9\\U0001f600'::text", "two\nlines é😀"],
  ["'ab'::char(5)", "ab"],
  ["'ab '::varchar", "ab "],
  ["'x'::\"char\"", "x"],
  ["true", "true"],
  ["false", "false"],
  ["'ok'::mood", "ok"],
  ["'ok'::constructor", "ok"],
  ["'ok'::__proto__", "ok"],
  ["(1, 'b')::pair", "(1,b)"],
  ["int4range(1, 5)", "[1,5)"],
  ["'10.0.0.1/8'::inet", "10.0.0.1/8"],
  ["'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'::uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"],
  ["'\\xDEADBEEF'::bytea", { refused: "not_text" }],
];

const json: Golden = [
  [`'{"n": 9007199254740993}'::jsonb`, '{"n": 9007199254740993}'],
  [`'{"a": 1, "a": 2}'::json`, '{"a": 1, "a": 2}'],
  [`'1e400'::json`, "1e400"],
  [`'null'::jsonb`, "null"],
  [`'"text"'::jsonb`, '"text"'],
];

const lists: Golden = [
  ["null::int[]", null],
  ["'{}'::int[]", "[]"],
  ["array[1, null, 3]", "[1,null,3]"],
  ["array[9007199254740993]", "[9007199254740993]"],
  ["array[1.50, 2]::numeric[]", "[1.50,2]"],
  ["array[1, 'NaN']::float8[]", { refused: "not_number" }],
  [
    "array['a', 'NULL', null, '', 'c,d', 'e\"f\\g', '{h}']",
    String.raw`["a","NULL",null,"","c,d","e\"f\\g","{h}"]`,
  ],
  ["array[E'two\\nlines']", String.raw`["two\nlines"]`],
  ["array[true, false]", "[true,false]"],
  ["array[array[1, 2], array[3, 4]]", "[[1,2],[3,4]]"],
  ["'[0:1]={5,6}'::int[]", "[5,6]"],
  ["'[1:1][-2:-1]={{5,6}}'::int[]", "[[5,6]]"],
  [`array['{"a": [1, 2]}', 'null']::jsonb[]`, '[{"a": [1, 2]},null]'],
  ["array[timestamptz '2024-03-10 00:00+09']", '["2024-03-09T15:00:00.000000Z"]'],
  ["array[date '2024-03-10', null]", '["2024-03-10",null]'],
  ["array[date 'infinity']", { refused: "not_date" }],
  ["array['\\x00'::bytea]", { refused: "not_text" }],
  ["array['(1,2),(0,0)'::box, '(3,4),(0,0)'::box]", '["(1,2),(0,0)","(3,4),(0,0)"]'],
  ["'1 2'::int2vector", "1 2"],
  ["array['ok']::mood[]", '["ok"]'],
  ["array['ok']::constructor[]", '["ok"]'],
  ["array['ok']::__proto__[]", '["ok"]'],
  ["array[7]::positive[]", "[7]"],
  ["array[(1, 'b')::pair]", '["(1,b)"]'],
];

describe("conversionOf", () => {
  it.each([
    ["numbers", numbers],
    ["times", times],
    ["texts", texts],
    ["json", json],
    ["lists", lists],
  ])("carries %s as the golden table says", async (_, golden) => {
    expect(await arriving(golden.map(([expression]) => expression))).toEqual(
      golden.map(([, value]) => value),
    );
  });

  it.each<readonly [string, (typeof coercionNames)[number], unknown]>([
    ["9007199254740991::bigint", "integer", 9_007_199_254_740_991],
    ["9007199254740992::bigint", "integer", "inexact_number"],
    ["9007199254740993::bigint", "string", "9007199254740993"],
    ["1.50::numeric", "number", 1.5],
    ["0.1234567890123456789::numeric", "number", "inexact_number"],
    ["1e+20::float8", "number", 1e20],
    ["true", "boolean", true],
    ["timestamptz '2024-03-10 00:00:00.123456+09'", "datetime", "2024-03-09T15:00:00.123456Z"],
    ["timestamp '2024-03-10 12:00'", "datetime", "datetime_without_zone"],
    ["date '2024-03-10'", "date", "2024-03-10"],
    [`'{"n": 9007199254740993}'::jsonb`, "json", "inexact_number"],
    [`'{"a": 1, "a": 2}'::json`, "json", "duplicate_json_key"],
    ["'1e400'::json", "json", "inexact_number"],
    ["'null'::jsonb", "json", null],
    ["array[array[1, null]]", "json", [[1, null]]],
  ])("gives %s as %s to the mapping", async (expression, as, expected) => {
    const [value] = await arriving([expression]);
    const made = coercions[as](value);
    expect(made instanceof CoercionRefusal ? made.code : made).toEqual(expected);
  });
});
