import { CoercionRefusal } from "../../../src/mapping/refusal.ts";
import type { TestCase } from "../../../testing/case.ts";
import { querying, casesOf, type Site } from "./postgres-cases-sketch.ts";

const notFinite = new CoercionRefusal(
  "not_number",
  "is not a finite number, and JSON knows no others; a query can read nullif(column, 'NaN')",
);
const noDate = new CoercionRefusal(
  "not_date",
  "is infinite or outside the years 1 to 9999, which RFC 3339 cannot write",
);
const noDateTime = new CoercionRefusal("not_datetime", noDate.reason);
const noText = new CoercionRefusal(
  "not_text",
  "is bytes; a query can read them as text: encode(column, 'base64')",
);

/** An SQL expression, and its value in a row. */
type Golden = readonly (readonly [expression: string, value: string | CoercionRefusal | null])[];

const scalars: Golden = [
  ["null::int", null],
  ["'-32768'::smallint", "-32768"],
  ["9223372036854775807", "9223372036854775807"],
  ["12345678901234567890.1234567890", "12345678901234567890.1234567890"],
  ["1.9", "1.9"],
  ["0.1::real", "0.1"],
  ["0.1::float8 + 0.2::float8", "0.30000000000000004"],
  ["'NaN'::float8", notFinite],
  ["'-Infinity'::real", notFinite],
  ["'Infinity'::numeric", notFinite],
  ["7::positive", "7"],
  ["true", "true"],
  ["false", "false"],
  ["''::text", ""],
  ["'ab'::char(5)", "ab"],
  ["'ab '::varchar", "ab "],
  ["'ok'::mood", "ok"],
  [`'{"n": 9007199254740993}'::jsonb`, '{"n": 9007199254740993}'],
  ["'1 2'::int2vector", "1 2"],
  [String.raw`'\xDEAD'::bytea`, noText],
];

const times: Golden = [
  ["timestamptz '2024-03-10 00:00:00.123456+09'", "2024-03-09T15:00:00.123456Z"],
  ["timestamptz '0001-01-01 00:00:00+00'", "0001-01-01T00:00:00.000000Z"],
  ["timestamptz '10000-01-01 00:00:00+00'", noDateTime],
  ["timestamptz 'infinity'", noDateTime],
  ["timestamp '2024-03-10 12:00:00.5'", "2024-03-10T12:00:00.500000"],
  ["timestamp '2024-03-10 12:00:00 BC'", noDateTime],
  ["date '2024-03-10'", "2024-03-10"],
  ["date '0044-03-15 BC'", noDate],
  ["interval '1 year 2 days 03:04:05'", "P1Y2DT3H4M5S"],
];

const lists: Golden = [
  ["null::int[]", null],
  ["'{}'::int[]", "[]"],
  ["array[1, null, 3]", "[1,null,3]"],
  ["array[1.50, 2]", "[1.50,2]"],
  ["array[1, 'NaN']::float8[]", notFinite],
  [
    String.raw`array['a', 'NULL', null, '', 'c,d', 'e"f\g', '{h}']`,
    String.raw`["a","NULL",null,"","c,d","e\"f\\g","{h}"]`,
  ],
  ["array[true, false]", "[true,false]"],
  ["array[array[1, 2], array[3, 4]]", "[[1,2],[3,4]]"],
  ["'[1:1][-2:-1]={{5,6}}'::int[]", "[[5,6]]"],
  [`array['{"a": [1, 2]}', 'null']::jsonb[]`, '[{"a": [1, 2]},null]'],
  ["array[timestamptz '2024-03-10 00:00+09']", '["2024-03-09T15:00:00.000000Z"]'],
  ["array[date 'infinity']", noDate],
  ["array['(1,2),(0,0)'::box, '(3,4),(0,0)'::box]", '["(1,2),(0,0)","(3,4),(0,0)"]'],
  ["array[7]::positive[]", "[7]"],
  ["array['ab'::char(5)]", '["ab"]'],
];

/** Whether the bytes of a cell give its value: not for refused values, nor for lists. */
function isInBytes(value: string | CoercionRefusal | null): boolean {
  return typeof value === "string" ? !value.startsWith("[") : value === null;
}

/** A cell of every type, and columns named like the members of every object. */
export function valueCases(site: Site): readonly TestCase[] {
  const golden = [...scalars, ...times, ...lists];
  const columns = golden.map(([expression], at) => `${expression} as c${at}`);
  const cells = golden.map(([, value], at) => [`c${at}`, value] as const);
  const names = ["id", "constructor", "__proto__", ...cells.map(([name]) => name)];
  return casesOf(site, [
    {
      what: "a cell of every type",
      sql: `create type mood as enum ('sad', 'ok'); create domain positive as int check (value > 0);
        create view v as select 7.50 as id, 'c' as constructor, 'p' as "__proto__", ${columns.join(", ")}`,
      from: { ...querying("select * from sample.v -- all of it", "id") },
      rows: [
        Object.fromEntries([["id", "7.50"], ["constructor", "c"], ["__proto__", "p"], ...cells]),
      ],
      columns: names,
      cells: names.length - golden.filter(([, value]) => !isInBytes(value)).length,
      isUncut: true,
      names: { "query:7.50": 0, "7.5": 0, "8": false, "query:": false, "no number": false },
      places: { "7": { code: "ConfigError", says: "the key id is numeric" } },
    },
  ]);
}
