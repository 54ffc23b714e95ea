import { z } from "zod";

import { CoercionRefusal } from "../../../src/mapping/refusal.ts";
import type { TestCase } from "../../../testing/case.ts";
import { runSql } from "../../support/postgres/postgres-cluster.ts";
import { by, quiet, table } from "./postgres-cases-changes.ts";
import { casesOf, type Site, type Sketch } from "./postgres-cases-sketch.ts";

/** Set when the table is made. */
const lately = { id: "1", at: "" };

/** By the clock of a zone other than the role's. */
const hourAgo: Sketch = {
  what: "a change an hour ago, without a zone",
  sql: `create table t (id int primary key, at timestamp not null);
    insert into t values (1, (now() at time zone 'America/New_York') - interval '1 hour')`,
  from: { ...by(0), time_zone: "America/New_York" },
  rows: [lately],
  isUncut: true,
  afterSql: async (site) => {
    lately.at = await textOf(site, `select to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS.US') as at from t`);
  },
  readLimit: { ...quiet, future: 0 },
};

async function textOf(site: Site, sql: string): Promise<string> {
  const [row] = await site.run(sql);
  return z.string().parse(row?.["at"]);
}

const endless: Sketch = {
  what: "a change that never comes",
  sql:
    "create table t (id bigint primary key, at timestamptz(3) not null); insert into t values (1, " +
    "'2024-03-10'), (2, 'infinity')",
  from: by(0),
  isUncut: true,
  rows: [
    { id: "1", at: "2024-03-10T00:00:00.000000Z" },
    {
      id: "2",
      at: new CoercionRefusal(
        "not_datetime",
        "is infinite or outside the years 1 to 9999, which RFC 3339 cannot write",
      ),
    },
  ],
  readLimit: { ...quiet, future: 1 },
};

const uncounted: Sketch = {
  what: "changes of which it takes long to count those to come",
  sql: `create function at() returns timestamptz volatile language plpgsql as $$ begin
      if current_query() like '%as future' then raise exception using errcode = 'query_canceled'; end if;
      return '2024-03-10'; end $$;
    create view v as select 1 as id, at() as at`,
  from: { ...by(0), table: "sample.v", key: ["id"] },
  rows: [{ id: "1", at: "2024-03-10T00:00:00.000000Z" }],
  isUncut: true,
  readLimit: {
    oldestOpen: undefined,
    future: undefined,
    warnings: ["rows stamped in the future were not counted within 5 s: index at"],
  },
};

/** Set when it is prepared. */
const oldestOpen = { of: "sample.t by at", changed: "" };

/** Its start is unknown: the time until it was prepared is taken to be the overlap. */
function prepared(name: string): Sketch {
  return {
    what: "a transaction that is prepared, and not committed",
    sql: table("timestamptz", [[1, "2024-03-10 00:00:00+00"]]),
    from: by("1h"),
    rows: [{ id: "1", at: "2024-03-10T00:00:00.000000Z" }],
    overlap: 1,
    isUncut: true,
    readLimit: { ...quiet, oldestOpen, future: 0 },
    afterSql: async (site) => {
      const insert = "insert into sample.t values (2, '2024-03-10')";
      // In a call of its own: in one call with the table, it would hold the table back too.
      await runSql(site.ownerUrl, `begin; ${insert}; prepare transaction '${name}'`);
      oldestOpen.changed = await textOf(
        site,
        `set timezone = 'UTC';
         select (prepared - interval '1 hour')::text as at from pg_prepared_xacts where gid = '${name}'`,
      );
    },
  };
}

const lateCommits = "rows that are committed late are found up to the overlap only";
const hidden = `this role may not see the transactions of others (grant pg_read_all_stats to it): ${lateCommits}`;

/** What a run may read, and the warnings about it. */
export function readLimitCases(site: Site): readonly TestCase[] {
  const unseen: Sketch = {
    what: "changes, for a role that does not see the transactions of others",
    sql: table("timestamptz", []),
    from: { ...by(0), url: site.readerUrl },
    isUncut: true,
    readLimit: { oldestOpen: undefined, warnings: [hidden], future: 0 },
    findings: [{ name: "open transactions", ok: true, detail: `warning: ${hidden}` }],
  };
  const cases = casesOf(site, [hourAgo, endless, uncounted, unseen]);
  if (!site.mayPrepare) return cases;
  const undo = async (): Promise<void> =>
    void (await runSql(site.ownerUrl, `rollback prepared '${site.role}'`));
  const last = casesOf(site, [prepared(site.role)]);
  return [...cases, ...last.map((testCase) => ({ ...testCase, undo }))];
}
