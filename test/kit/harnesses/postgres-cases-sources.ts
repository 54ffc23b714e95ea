import type { TestCase } from "../../../testing/case.ts";
import { querying, casesOf, type Site, type Sketch } from "./postgres-cases-sketch.ts";

type Findings = NonNullable<Sketch["findings"]>;

/** Findings of steps that succeed, and of the one that fails. */
function until(fault: string, ...well: readonly string[]): Findings {
  return [
    { name: "login", ok: true },
    ...well.map((name) => ({ name, ok: true })),
    { name: fault, ok: false },
  ];
}

const table = "sample.t";

function configError(field: string, says: string): Pick<Sketch, "throws"> {
  return { throws: { code: "ConfigError", field, says } };
}

const atKey = until("key", "table", "columns");

const keys: readonly Sketch[] = [
  {
    what: "a table without a key",
    sql: "create table t (id int not null)",
    from: { table },
    ...configError("key", "sample.t has no primary key"),
    findings: atKey,
  },
  {
    what: "a query without a key",
    from: { table: undefined, query: "select 1 as id" },
    ...configError("key", "a query needs a key"),
  },
  {
    what: "a key that may be null",
    sql: "create table t (id int unique)",
    from: { table, key: ["id"] },
    ...configError("key", "id may be null"),
    findings: atKey,
  },
  {
    what: "a query whose key is null somewhere",
    from: querying("select n as id, 1 as other from (values (1), (null)) as v (n)", "other", "id"),
    ...configError("key", "other, id may be null"),
  },
  {
    what: "a key that is unique with another column, in some rows, or as something else",
    sql: `create table t (id int not null, n int not null, unique (id, n), unique (n) include (id));
      create unique index on t (id) where n > 5; create unique index on t (abs(id))`,
    from: { table, key: ["id"] },
    ...configError("key", `create unique index concurrently on "sample"."t" ("id")`),
    findings: atKey,
  },
  {
    what: "a key that is unique in its own table, and not in those that inherit",
    sql: `create table t (id int primary key); create table more () inherits (t);
      insert into t values (0), (1); insert into more values (1)`,
    from: { table },
    ...configError("key", "two rows have the same id"),
    findings: [{ name: "key", ok: true }],
  },
  {
    what: "a key of equal numbers that are written in two ways",
    from: querying("select n as id from (values (1.0), (trim_scale(1.0))) as v (n)", "id"),
    ...configError("key", "two rows have the same id"),
    findings: [{ name: "key", ok: true }],
  },
  {
    what: "a key of equal numbers that are written in two ways, behind days that are not",
    from: querying(
      "select date '2024-03-10' as day, n as id from (values (1.0), (trim_scale(1.0))) as v (n)",
      "day",
      "id",
    ),
    ...configError("key", "two rows have the same day, id"),
    findings: [{ name: "key", ok: true }],
  },
  {
    what: "a key column that is not there",
    sql: "create table t (id int primary key, n int)",
    from: { table, key: ["ID"] },
    ...configError("key", "There are id, n."),
    findings: atKey,
  },
];

const atChange = until("change column", "table", "columns", "key");

function changing(type: string, changes: object): Pick<Sketch, "sql" | "from"> {
  return {
    sql: `create table t (id int primary key, at ${type})`,
    from: { table, changed_by: { column: "at", ...changes } },
  };
}

const changeColumns: readonly Sketch[] = [
  {
    what: "a change column that is not there",
    ...changing("timestamptz not null", { column: "At" }),
    ...configError("changed_by.column", `there is no column "At"`),
    findings: atChange,
  },
  {
    what: "a change column that may be null",
    ...changing("timestamptz", {}),
    ...configError("key", "at may be null"),
    findings: atKey,
  },
  {
    what: "a change column of text",
    ...changing("text not null", {}),
    ...configError("changed_by.column", "at is text"),
    findings: atChange,
  },
  {
    what: "an overlap of an hour over numbers",
    ...changing("bigint not null", { overlap: "1h" }),
    ...configError("changed_by.overlap", "Give a number"),
    findings: atChange,
  },
  {
    what: "an overlap of rows over times",
    ...changing("timestamptz not null", { overlap: 1 }),
    ...configError("changed_by.overlap", "Give a duration"),
    findings: atChange,
  },
  ...["NaN", "Infinity"].map((last): Sketch => ({
    ...changing("numeric not null", {}),
    what: `a change of ${last}`,
    sql: `create table t (id int primary key, at numeric not null); insert into t values (1, '${last}'), (2, 1)`,
    ...configError("changed_by.column", "no row could come after it"),
    findings: [{ name: "change column", ok: true, detail: "at (numeric)" }],
    places: { NaN: false },
  })),
];

const tables: readonly Sketch[] = [
  {
    what: "neither a table nor a query",
    from: { table: undefined },
    ...configError("table", "neither a table nor a query is named"),
    findings: [
      { name: "login", ok: true },
      { name: "grants", ok: true },
    ],
  },
  {
    what: "a table that is not there",
    from: { table: "sample.T" },
    ...configError("table", "there is no table sample.T"),
    findings: until("table"),
  },
  {
    what: "a sequence",
    sql: "create sequence t; grant select on t to public",
    from: { table },
    ...configError("table", "there is no table sample.t"),
  },
  {
    what: "two columns of one name",
    from: querying("select 1 as id, 2 as id", "id"),
    ...configError("query", `two columns are called "id"`),
    findings: until("columns"),
  },
  {
    what: "more columns than a message names",
    from: querying(
      `select ${Array.from({ length: 21 }, (_, at) => `${at} as c${at}`).join(", ")}
       from generate_series(1, 2)`,
      "c0",
    ),
    ...configError("key", "two rows have the same c0"),
    findings: [
      {
        name: "columns",
        ok: true,
        detail: `${Array.from({ length: 20 }, (_, at) => `c${at} integer`).join(", ")} and 1 more`,
      },
    ],
  },
];

/** Sources that are refused, and the step of `check` that says so. */
export function refusedSources(site: Site): readonly TestCase[] {
  const barred = {
    what: "a table that may not be read",
    sql: `create table t (id int primary key); revoke all on t from ${site.role}`,
    from: { table },
    throws: { code: "ConfigError", says: 'grant select on "sample"."t" to' },
    findings: until("table"),
  };
  const sketches = [...keys, ...changeColumns, ...tables, barred];
  return casesOf(site, sketches);
}
