import type { TestCase } from "../../../testing/case.ts";
import { casesOf, type Site, type Sketch } from "./postgres-cases-sketch.ts";

/** A table name of 63 bytes, the maximum, with characters that require quoting. */
const longest = `Lines of "x". ${"é".repeat(24)}a`;
const quoted = `"${longest.replaceAll('"', '""')}"`;

const line = (
  shop: string,
  number: string,
  note: string | null,
): Record<string, string | null> => ({
  line: number,
  Shop: shop,
  note,
});

const byText: Sketch = {
  what: "a key of texts and numbers, in another order than the columns",
  sql: `create table ${quoted} (line int, "Shop" text collate "C", note text, primary key ("Shop", line) include
    (note));
    insert into ${quoted} values (10, 'a', 'ten'), (2, 'a', null), (1, E'b,\\\\', 'a comma')`,
  from: { table: `sample.${quoted}`, statement_timeout: "24h" },
  rows: [line("a", "2", null), line("a", "10", "ten"), line("b,\\", "1", "a comma")],
  columns: ["line", "Shop", "note"],
  findings: [
    { name: "table", ok: true, detail: `sample.${quoted}` },
    { name: "columns", ok: true, detail: "line integer, Shop text, note text" },
    { name: "key", ok: true, detail: "Shop, line: unique, never null" },
  ],
  names: {
    [`sample.${quoted}:a,2`]: 0,
    "a,10": 1,
    [String.raw`b\,\\,1`]: 2,
    a: false,
    "a,2,3": false,
    "a,x": false,
    "a,99999999999": false,
  },
  measure: { rows: 3, exact: true },
  places: { "5": { code: "ConfigError", says: "the key has 2 columns (Shop, line)" } },
  times: { "2024-03-10T00:00:00Z": { code: "ConfigError", field: "changed_by" } },
  splits: { 2: [2, 1], 3: [1, 1, 1] },
  afterwards: {
    config: { changed_by: { column: "line" } },
    throws: { code: "ConfigError", field: "changed_by", says: "another changed_by or key" },
  },
};

const small: Sketch = {
  what: "a key of small numbers, from the smallest on",
  sql: `create table t (id smallint primary key, at timestamptz not null default '2024-03-10');
    insert into t values (-32768), (7)`,
  from: { table: "t" },
  isUncut: true,
  rows: ["-32768", "7"].map((id) => ({ id, at: "2024-03-10T00:00:00.000000Z" })),
  places: {
    "-32768": { code: "ConfigError", says: "nothing comes before the smallest smallint" },
    " 7 ": 1,
    "32768": { code: "ConfigError", says: "Give a whole number: 48211." },
    "-32769": false,
    "1.5": false,
  },
  afterwards: {
    config: { changed_by: { column: "at" } },
    startsOver: true,
    rows: ["-32768", "7"].map((id) => ({ id, at: "2024-03-10T00:00:00.000000Z" })),
  },
};

const unpromised: Sketch = {
  what: "a view of numbers that are written in many ways",
  sql: `create view v as select * from (values (2.50, 'b'), (1.0, 'a')) as v (id, note)`,
  from: { table: "sample.v", key: ["id"] },
  rows: [
    { id: "1.0", note: "a" },
    { id: "2.50", note: "b" },
  ],
  findings: [
    {
      name: "key",
      ok: true,
      detail: "id: never null; that it is unique is for the query or view to see to",
    },
  ],
  names: { "sample.v:2.5": 1, "1": 0 },
  isUncut: true,
  afterwards: {
    config: { key: ["id", "note"] },
    throws: { code: "ConfigError", field: "key", says: "reset the sync's checkpoint" },
  },
};

const parts: Sketch = {
  what: "parts of a table, by a key that is unique in part of itself",
  sql: `create table t (id int not null, part text not null, unique (id, part)) partition by list (part);
    create table t1 partition of t for values in ('a'); create table t2 partition of t for values in ('b');
    insert into t values (1, 'b'), (2, 'a')`,
  from: { table: "sample.t", key: ["id", "part"] },
  isUncut: true,
  places: { "1": { code: "ConfigError", says: "the key has 2 columns (id, part)" } },
  rows: [
    { id: "1", part: "b" },
    { id: "2", part: "a" },
  ],
};

const indexed: Sketch = {
  what: "columns that an index makes unique, and some that it does not",
  sql: `create collation sample.loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
    create table t (id int, part int, code text not null unique, name text, same text collate sample.loose unique,
      other text collate sample.loose, primary key (id, part));
    create unique index on t (name) where id > 5; create unique index on t ((lower(name)));
    create unique index on t (other collate "C"); insert into t values (1, 1, 'a')`,
  from: { table: "sample.t" },
  isUncut: true,
  rows: [{ id: "1", part: "1", code: "a", name: null, same: null, other: null }],
  repeats: {
    "id, part": "once",
    "name, part, id": "once",
    id: "often",
    part: "often",
    code: "once",
    "name, code": "once",
    name: "unknown",
    "id, name": "unknown",
    same: "once",
    other: "unknown",
  },
};

/** Keys and tables of every kind, without a change column. */
export function tableCases(site: Site): readonly TestCase[] {
  return casesOf(site, [byText, small, unpromised, parts, indexed]);
}
