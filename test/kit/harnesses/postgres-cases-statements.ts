import type { TestCase } from "../../../testing/case.ts";
import { querying, casesOf, type Site, type Sketch } from "./postgres-cases-sketch.ts";

/** A function that fails with a code and a message that holds a value. */
const fails = `create function fails(code text) returns int language plpgsql as
  $$ begin raise exception using errcode = code, message = 'of a cell'; end $$`;

/** The meaning of a statement's failure with this code. */
const states: readonly (readonly [what: string, code: string, throws: Sketch["throws"]])[] = [
  ["a serialization failure", "40001", { code: "Unavailable", says: "of a cell (40001)" }],
  ["a lost connection to another server", "08006", { code: "Unavailable" }],
  ["a value that its type cannot hold", "22012", { code: "ConfigError", says: ": SQLSTATE 22012" }],
  ["a feature that there is not", "0A000", { code: "ConfigError", says: "of a cell (0A000)" }],
];

const failing: readonly Sketch[] = states.map(([what, code, throws = { code: "" }]) => ({
  what,
  sql: fails,
  from: querying(`select sample.fails('${code}') as id`, "id"),
  throws,
  findings: [{ name: "table", ok: false }],
}));

/**
 * A view whose statement takes too long at its nth row: it is cancelled as by the timeout, whatever else the computer
 * does meanwhile.
 */
function tooSlowAt(row: number, sql: string): string {
  return `create function counted(id int) returns int stable language plpgsql as $$
      declare count int := coalesce(nullif(current_setting('test.count', true), ''), '0')::int + 1;
      begin
        perform set_config('test.count', count::text, true);
        if count = ${row} then raise exception using errcode = 'query_canceled'; end if;
        return id;
      end $$;
    create view v as select id, counted(id) as n from (${sql}) as numbers`;
}

const slow = { table: "sample.v", key: ["id"] };

const statements: readonly Sketch[] = [
  {
    what: "statements that are fast enough with 2,500 rows, and a row after them that is there twice",
    sql: tooSlowAt(
      2_600,
      "select n as id from generate_series(1, 5001) as n union all select 5001",
    ),
    from: slow,
    throws: { code: "ConfigError", field: "key", says: "two rows have the same id" },
    findings: [{ name: "key", ok: true }],
  },
  {
    what: "statements that are too slow with 2,500 rows",
    sql: tooSlowAt(2_400, "select n as id from generate_series(1, 5000) as n"),
    from: slow,
    throws: { code: "ConfigError", field: "statement_timeout", says: "(57014)" },
    findings: [{ name: "key", ok: true }],
  },
  {
    what: "a query that does not end",
    from: { ...querying("select pg_sleep(60)::text as id", "id"), statement_timeout: "50ms" },
    throws: { code: "ConfigError", field: "statement_timeout", says: "(57014)" },
    findings: [{ name: "table", ok: false }],
  },
  {
    what: "10,001 rows, of which the last two are one",
    from: querying(
      "select n as id from generate_series(1, 10001) as n union all select 10001",
      "id",
    ),
    throws: { code: "ConfigError", field: "key", says: "two rows have the same id" },
    findings: [{ name: "key", ok: true }],
  },
  {
    what: "a query that writes",
    sql: `create table t (id int);
      create function writes() returns int language sql as 'insert into sample.t values (1) returning id'`,
    from: querying("select sample.writes() as id", "id"),
    throws: { code: "ConfigError", says: "(25006)" },
    findings: [{ name: "table", ok: false }],
  },
  {
    what: "a query with a column that is not there",
    from: querying("select none as id", "id"),
    throws: { code: "ConfigError", says: "Check the names of the columns" },
    findings: [{ name: "table", ok: false }],
  },
  {
    what: "two statements in one",
    from: querying("select 1 as id) as a; select 2; select * from (select 1 as id", "id"),
    throws: { code: "ConfigError", says: "(42601)" },
    findings: [{ name: "table", ok: false }],
  },
];

/** A setting's text on the connection, whatever the role is set to. */
const settings: readonly (readonly [setting: string, text: string])[] = [
  ["TimeZone", "UTC"],
  ["DateStyle", "ISO, YMD"],
  ["IntervalStyle", "iso_8601"],
  ["bytea_output", "hex"],
  ["lock_timeout", "30s"],
  ["statement_timeout", "5min"],
  ["client_encoding", "UTF8"],
  ["application_name", "sluice"],
  ["client_connection_check_interval", "2s"],
  ["default_transaction_read_only", "on"],
];

/** The statements that the server gets, and their settings. */
export function statementCases(site: Site): readonly TestCase[] {
  const columns = settings.map(([name]) => `current_setting('${name}') as "${name}"`);
  const asked: Sketch = {
    what: "what a statement is run with",
    from: querying(`select ${columns.join(", ")}`, "TimeZone"),
    // A row has nothing of the members that every object has.
    rows: [{ ...Object.fromEntries(settings), constructor: undefined, toString: undefined }],
    isUncut: true,
  };
  return casesOf(site, [...failing, ...statements, asked]);
}
