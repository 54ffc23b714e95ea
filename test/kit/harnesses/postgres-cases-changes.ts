import type { Row } from "../../../connectors/contract/connector.ts";
import type { TestCase } from "../../../testing/case.ts";
import { querying, casesOf, type Site, type Sketch } from "./postgres-cases-sketch.ts";

type Changes = readonly (readonly [id: number, at: string])[];

/** A table of changes in a column of this type, which is read from the first change to the last. */
export function table(type: string, changes: Changes): string {
  const rows = changes.toReversed().map(([id, at]) => `(${id}, '${at}')`);
  const inserting = rows.length === 0 ? "" : `insert into t values ${rows.join(", ")}`;
  return `create table t (id bigint primary key, at ${type} not null); ${inserting}`;
}

function rowsOf(changes: Changes, written: (at: string) => unknown): readonly Row[] {
  return changes.map(([id, at]) => ({ id: String(id), at: written(at) }));
}

/** A configuration that reads those changes. */
export function by(overlap?: string | number): {
  readonly table: string;
  readonly changed_by: object;
} {
  return { table: "sample.t", changed_by: { column: "at", overlap } };
}

/** The read limit's answer when nothing is open. */
export const quiet = { oldestOpen: undefined, warnings: [] };

const moments: Changes = [
  [5, "1969-12-31 23:59:59.998500+00"],
  [1, "2024-03-10 00:00:00.000001+00"],
  [3, "2024-03-10 00:00:00.000001+00"],
  [2, "2024-03-10 01:00:00.000001+00"],
];

const zoned: Sketch = {
  what: "changes at microseconds, in a large table of parts with an index",
  sql: `create table t (id bigint, at timestamptz not null, body text, primary key (id)) partition by range (id);
    create table low partition of t for values from (1) to (100);
    create table high partition of t for values from (100) to (200);
    ${large("high", 8_900_000)}
    alter table t drop column body; create index on t (at, id);
    insert into t values ${moments.map(([id, at]) => `(${id}, '${at}')`).join(", ")}`,
  from: by(),
  rows: rowsOf(moments, (at) => at.replace(" ", "T").replace("+00", "Z")),
  overlap: 3,
  measure: { rows: 4, exact: true },
  findings: [
    { name: "change column", ok: true, detail: "at (timestamp with time zone)" },
    { name: "index on the change column", ok: true, detail: undefined },
    { name: "open transactions", ok: true, detail: "those of other sessions are seen" },
  ],
  readLimit: { ...quiet, future: 0 },
  times: {
    "1969-12-31T23:59:59.999Z": 1,
    "2024-03-10T00:00:00.000Z": 1,
  },
  places: { "5": { code: "ConfigError", says: "at holds times" } },
  names: { "5": 0, "6": false },
  afterwards: {
    config: querying("select id, at from sample.t where id < 3", "id"),
    startsOver: true,
    rows: rowsOf([moments[1] ?? [0, ""], moments[3] ?? [0, ""]], (at) =>
      at.replace(" ", "T").replace("+00", "Z"),
    ),
  },
};

/** Makes a table large without leaving a row. */
function large(name: string, bytes: number, at = "'2024-01-01'"): string {
  return `alter table ${name} alter body set storage external, set (autovacuum_enabled = false,
    toast.autovacuum_enabled = false);
    insert into ${name} (id, at, body) values (100, ${at}, repeat('x', ${bytes})); delete from ${name} where id = 100;`;
}

const local: Changes = [
  [2, "2024-03-10 00:00:00.499999"],
  [1, "2024-03-10 00:00:00.500000"],
  [3, "2024-03-10 01:30:00.500000"],
];

const unzoned: Sketch = {
  what: "changes at times without a zone",
  sql: `${table("timestamp(6)", local)}; create index on t (at)`,
  from: { ...by("90m"), time_zone: "UTC" },
  isUncut: true,
  rows: rowsOf(local, (at) => at.replace(" ", "T")),
  overlap: 2,
  readLimit: { ...quiet, future: 0 },
  times: { "2024-03-10T01:30:00.500Z": 2 },
  afterwards: {
    change: async () => undefined,
    throws: { code: "ConfigError", field: "changed_by", says: "another changed_by or key" },
  },
};

const elsewhere: Sketch = {
  what: "changes at times of another zone",
  sql: `${table("timestamp(6)", local)}; create index on t (at)`,
  from: { ...by("90m"), time_zone: "Asia/Kolkata" },
  isUncut: true,
  rows: rowsOf(local, (at) => at.replace(" ", "T")),
  overlap: 2,
  times: { "2024-03-09T18:30:00.500Z": 1, "2024-03-09T20:00:00.500Z": 2 },
};

const days: Changes = [
  [3, "2024-02-28"],
  [1, "2024-02-29"],
  [4, "2999-01-01"],
  [5, "2999-01-02"],
];

const dated: Sketch = {
  what: "changes on days, of which two are to come",
  sql: `${table("date", days)}; alter table t add body text; ${large("t", 7_600_000)} alter table t drop body`,
  from: { ...by("1ms"), time_zone: "UTC" },
  isUncut: true,
  rows: rowsOf(days, (at) => at),
  overlap: 2,
  readLimit: { ...quiet, future: 2 },
  times: { "2024-02-29T13:00:00Z": 1 },
  findings: [
    { name: "index on the change column", ok: true, detail: "none, and the table is small" },
  ],
  afterwards: {
    config: { changed_by: { column: "at", overlap: "1ms" }, key: ["id"] },
    startsOver: true,
    rows: rowsOf(days, (at) => at),
  },
};

/** Changes that are numbers. */
const versions: Changes = [
  [4, "-83.50"],
  [3, "-83.00"],
  [1, "-42.50"],
];

const numbered: Sketch = {
  what: "changes by numbers with fractions below zero",
  sql: table("numeric(10, 2)", versions),
  from: by(40),
  isUncut: true,
  rows: rowsOf(versions, (at) => at),
  overlap: 2,
  readLimit: {
    warnings: [
      "at is a number, not a time: rows that are committed late are found up to the overlap only",
    ],
  },
  places: { "-83": 1, "-82.25": 2, "1e3": false, NaN: false, "5.": false },
  afterwards: {
    config: { changed_by: undefined },
    throws: { code: "ConfigError", field: "changed_by", says: "another changed_by or key" },
  },
};

/** Fractions above zero, of which the overlap takes those that it reaches into whole. */
const positive: Changes = [
  [1, "1.50"],
  [2, "2.00"],
  [3, "42.50"],
];

const fractions: readonly Sketch[] = [
  {
    what: "changes by numbers with fractions",
    sql: table("numeric(10, 2)", positive),
    from: by(40),
    rows: rowsOf(positive, (at) => at),
    overlap: 2,
    isUncut: true,
  },
  {
    what: "changes by numbers with fractions, without an overlap",
    sql: table("numeric(10, 2)", [...positive, [4, "42.25"]]),
    from: by(),
    rows: rowsOf([...positive.slice(0, 2), [4, "42.25"], [3, "42.50"]], (at) => at),
    isUncut: true,
    afterwards: {
      config: { table: undefined, query: "select id, at from sample.t", key: ["id"] },
      startsOver: true,
      rows: rowsOf([...positive.slice(0, 2), [4, "42.25"], [3, "42.50"]], (at) => at),
    },
  },
  {
    what: "changes by another query",
    sql: table("int", [[1, "1"]]),
    from: { ...querying("select id, at from sample.t", "id"), changed_by: { column: "at" } },
    rows: [{ id: "1", at: "1" }],
    isUncut: true,
    afterwards: {
      config: { query: "select id, at from sample.t where true" },
      startsOver: true,
      rows: [{ id: "1", at: "1" }],
    },
  },
];

const unindexed: Sketch = {
  what: "a large table with indexes that begin with something else",
  sql: `create table t (id int primary key, at int not null, body text); ${large("t", 8_900_000, "0")}
    create index on t (id, at); create index on t (at) where id > 5; create index on t (abs(at));
    create table other (at int, id int); create index on other (at, id)`,
  from: by(),
  isUncut: true,
  findings: [
    { name: "change column", ok: true },
    {
      name: "index on the change column",
      ok: true,
      detail: `warning: no index begins with "at", so each page sorts the whole table`,
      fix: `create index concurrently on "sample"."t" ("at", "id");`,
    },
  ],
};

const whole: Sketch = {
  what: "a change column that is the key",
  sql: "create table t (id smallint primary key); insert into t values (9), (5)",
  from: { table: "sample.t", changed_by: { column: "id" } },
  rows: ["5", "9"].map((id) => ({ id })),
  places: {
    "9": 1,
    "32768": { code: "ConfigError", says: "not a whole number that id (smallint)" },
  },
  afterwards: {
    config: { changed_by: { column: "id", overlap: 4 }, table: "t" },
    startsOver: true,
    rows: ["5", "9"].map((id) => ({ id })),
  },
};

/** Change columns of every type. */
export function changeCases(site: Site): readonly TestCase[] {
  const lostZone: Sketch = {
    ...unzoned,
    afterwards: {
      ...unzoned.afterwards,
      change: async () => void (await site.run("alter table sample.t alter at type timestamptz")),
    },
  };
  return casesOf(site, [
    zoned,
    lostZone,
    elsewhere,
    dated,
    numbered,
    ...fractions,
    whole,
    unindexed,
  ]);
}
