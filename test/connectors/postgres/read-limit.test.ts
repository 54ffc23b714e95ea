import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";

import { futureRowsMax } from "../../../connectors/postgres/limits.ts";
import { splitPostgres } from "../../../connectors/postgres/measure.ts";
import {
  positionAt,
  readingOf,
  rewindPostgres,
  type PostgresPosition,
} from "../../../connectors/postgres/position.ts";
import { readLimitOfPostgres } from "../../../connectors/postgres/read-limit.ts";
import { PostgresCluster, runSql } from "../../support/postgres/postgres-cluster.ts";
import { ownPostgres, postgres } from "../../support/postgres/postgres.ts";
import { until } from "../../support/process/process.ts";
import { readRequestOf, columnIn, pagesOf } from "./support.ts";

const table = `create table t (id int primary key, at timestamptz not null default now())`;
const changedBy = { table: "t", changed_by: { column: "at", overlap: "1h" } };

const inTokyo = `do $$ begin
  execute format('alter database %I set TimeZone = ''Asia/Tokyo''', current_database());
end $$;`;

/** Another session, which ends with the test. */
async function sessionAt(url: string): Promise<Client> {
  const client = new Client(url);
  await client.connect();
  onTestFinished(async () => await client.end());
  return client;
}

function changedIn(position: PostgresPosition | undefined): string {
  return position !== undefined && "changed" in position ? position.changed : "";
}

function lastOf(pages: readonly { readonly position: PostgresPosition }[]): PostgresPosition {
  const last = pages.at(-1);
  if (last === undefined) throw new Error("nothing was read");
  return last.position;
}

/**
 * The rows of a run that passes over an open transaction, and of two runs after its commit: with the overlap alone, and
 * with the transaction's start.
 */
async function idsAround(hold: string, commit: string, stamp = "now()"): Promise<unknown[]> {
  const { query, url } = await ownPostgres();
  await query(table);
  const ask = readRequestOf(url, { table: "t", changed_by: { column: "at", overlap: "800ms" } });
  const late = await sessionAt(url);
  await late.query(`begin; insert into t values (1, ${stamp}); ${hold}`);
  await query("select pg_sleep(1)");
  await query("insert into t values (2)");
  const { to, oldestOpen } = await readLimitOfPostgres(ask);
  const first = await pagesOf(ask, { to });
  await late.query(commit);
  const behind = { config: ask.config, position: lastOf(first) };
  const byOverlap = await pagesOf(ask, { from: rewindPostgres(behind) });
  const byHeld = await pagesOf(ask, { from: rewindPostgres({ ...behind, oldestOpen }) });
  return [first, byOverlap, byHeld].map((pages) => columnIn(pages, "id"));
}

describe("readLimitOfPostgres", () => {
  it("reads up to the server's clock, and counts a row stamped 2099 instead of following it", async () => {
    const { query, url } = await postgres();
    await query(`${table}; insert into t values (1, now()), (2, '2099-01-01')`);
    const ask = readRequestOf(url, changedBy);
    const { to, future, oldestOpen, warnings } = await readLimitOfPostgres(ask);
    expect({ future, oldestOpen, warnings }).toEqual({
      future: 1,
      oldestOpen: undefined,
      warnings: [],
    });
    const pages = await pagesOf(ask, { to });
    expect(columnIn(pages, "id")).toEqual(["1"]);
    // Once its time has come, it is read after the position that passed over it.
    await query("update t set at = now() where id = 2");
    const later = await readLimitOfPostgres(ask);
    const next = await pagesOf(ask, { from: pages.at(-1)?.position, to: later.to });
    expect(columnIn(next, "id")).toEqual(["2"]);
  });

  it("finds a row whose transaction stamped before the position and committed later, by the overlap", async () => {
    const { query, url } = await postgres();
    await query(`${table}; insert into t values (1, now() - interval '2 minutes')`);
    const ask = readRequestOf(url, changedBy);
    const late = await sessionAt(url);
    await late.query("begin; insert into t values (2, now() - interval '3 minutes')");
    const first = await pagesOf(ask, { to: (await readLimitOfPostgres(ask)).to });
    expect(columnIn(first, "id")).toEqual(["1"]);
    await late.query("commit");
    const position = lastOf(first);
    expect(columnIn(await pagesOf(ask, { from: position }), "id")).toEqual([]);
    const from = rewindPostgres({ config: ask.config, position });
    expect(columnIn(await pagesOf(ask, { from }), "id")).toEqual(["2", "1"]);
  });

  it("goes back to a transaction that is open longer than the overlap", async () => {
    expect(await idsAround("select", "commit")).toEqual([["2"], ["2"], ["1", "2"]]);
  });

  it("goes back behind the start of such a transaction, for stamps of a clock that is slow", async () => {
    const ids = await idsAround("select", "commit", "now() - interval '300 milliseconds'");
    expect(ids).toEqual([["2"], ["2"], ["1", "2"]]);
  });

  // A server forbids prepared transactions unless configured for them.
  it("goes back to a transaction that is prepared longer than the overlap", async () => {
    const ids = await idsAround("prepare transaction 'held'", "commit prepared 'held'");
    expect(ids).toEqual([["2"], ["2"], ["1", "2"]]);
  });

  it("goes back to a transaction that was open for longer than the overlap when it was prepared", async () => {
    const hold = "select pg_sleep(1); prepare transaction 'held'";
    const ids = await idsAround(hold, "commit prepared 'held'");
    expect(ids).toEqual([["2"], ["2"], ["1", "2"]]);
  });

  // Frameworks stamp rows without a date with the first day.
  it.each([
    ["timestamptz", "0001-01-01 00:00:00+00", "1h"],
    ["timestamp", "0001-01-01 00:00:00", "1h"],
    ["date", "0001-01-01", "1h"],
    ["smallint", "-32768", 1],
    ["bigint", "-9223372036854775808", 1],
  ])("goes back to the first %s, %s, where the overlap is longer", async (type, first, overlap) => {
    const { query, url } = await postgres();
    await query(`create table t (id int primary key, at ${type} not null);
      insert into t values (1, '${first}'), (2, '${first}')`);
    const ask = readRequestOf(url, { table: "t", changed_by: { column: "at", overlap } });
    const position = lastOf(await pagesOf(ask));
    const from = rewindPostgres({ config: ask.config, position });
    expect(columnIn(await pagesOf(ask, { from }), "id")).toEqual(["1", "2"]);
  });

  it("passes by no row of a column that rounds its times", async () => {
    const { query, url } = await postgres();
    await query(`create table t (id int primary key, at timestamptz(0) not null default now());
      insert into t values (0, now() - interval '1 hour'), (5, now())`);
    const ask = readRequestOf(url, { table: "t", changed_by: { column: "at", overlap: 0 } });
    let to: PostgresPosition | undefined;
    let stamp = "";
    // On a busy machine the second may be over before the read limit is read.
    while (changedIn(to).slice(0, 19) !== stamp.slice(0, 19) || stamp === "") {
      // In the first half of a second, because the column drops the fraction.
      await query(
        `select pg_sleep(1.1 - extract(microseconds from clock_timestamp()) % 1000000 / 1000000)`,
      );
      const [row] = await query("update t set at = now() where id = 5 returning at::text");
      stamp = String(row?.["at"]);
      ({ to } = await readLimitOfPostgres(ask));
    }
    const first = await pagesOf(ask, { to });
    expect(columnIn(first, "id")).toEqual(["0"]);
    // In the same second, with a key before the existing one.
    await query("insert into t select 3, at from t where id = 5");
    expect(columnIn(await pagesOf(ask, { from: lastOf(first) }), "id")).toEqual(["3", "5"]);
  });

  it("does not wait for a count of the rows stamped in the future, and says so", async () => {
    const { query, url } = await postgres();
    await query(`create table t (id int primary key, at timestamptz not null default now());
      insert into t select generate_series(1, 100);
      create function slow(at timestamptz) returns timestamptz language sql volatile as 'select $1 from pg_sleep(1)';
      create view v as select id, slow(at) as at from t`);
    const ask = readRequestOf(url, { table: "v", key: ["id"], changed_by: { column: "at" } });
    const { to, future, warnings } = await readLimitOfPostgres(ask);
    expect(changedIn(to)).not.toBe("");
    expect(future).toBeUndefined();
    expect(warnings?.join()).toMatch(/were not counted/);
  });

  it("counts no more rows of the future than it may", async () => {
    const { query, url } = await postgres();
    await query(`${table};
      insert into t select n, '2099-01-01' from generate_series(1, ${futureRowsMax + 1}) n`);
    const { future } = await readLimitOfPostgres(readRequestOf(url, changedBy));
    expect(future).toBe(futureRowsMax);
  });

  it("reads a standby no further than it has followed its primary", async () => {
    const primary = await PostgresCluster.start();
    onTestFinished(async () => await primary.remove());
    const standby = await primary.standby();
    onTestFinished(async () => await standby.remove());
    const ask = readRequestOf(standby.url, {
      table: "t",
      changed_by: { column: "at", overlap: 0 },
    });
    const countThere = async (): Promise<unknown> =>
      (await runSql(standby.url, "select count(*) from t"))[0]?.["count"];
    const replayState = async (): Promise<unknown> =>
      (await runSql(standby.url, "select pg_get_wal_replay_pause_state() as state"))[0]?.["state"];
    await runSql(primary.url, `${table}; insert into t values (0)`);
    await until(async () => (await countThere().catch(() => undefined)) === "1");
    // It is as far behind as the test needs, however long that takes.
    await runSql(standby.url, "select pg_wal_replay_pause()");
    await until(async () => (await replayState()) === "paused");
    await runSql(primary.url, "insert into t values (1)");
    const [missing] = await runSql(primary.url, "select at::text from t where id = 1");
    const { to, warnings } = await readLimitOfPostgres(ask);
    expect(Date.parse(changedIn(to))).toBeLessThan(Date.parse(String(missing?.["at"])));
    expect(warnings?.join()).toMatch(/a standby does not show/);
    const first = await pagesOf(ask, { to });
    expect(columnIn(first, "id")).toEqual(["0"]);
    await runSql(standby.url, "select pg_wal_replay_resume()");
    await until(async () => (await countThere()) === "2");
    expect(columnIn(await pagesOf(ask, { from: lastOf(first) }), "id")).toEqual(["1"]);
  });

  it("cuts no span that ends ahead of the server's clock, because a row that changes would come in two", async () => {
    const { query, url } = await postgres();
    await query(
      `${table}; insert into t select n, now() - interval '1 day' from generate_series(1, 4) n`,
    );
    const ask = readRequestOf(url, changedBy);
    const partsTo = async (ms: number): Promise<number> => {
      const to = positionAt({ ...ask, when: new Date(Date.now() + ms) });
      return (await splitPostgres({ ...ask, to, parts: 2 })).length;
    };
    expect(await partsTo(3_600_000)).toBe(1);
    expect(await partsTo(-3_600_000)).toBe(2);
    const { to } = await readLimitOfPostgres(ask);
    expect(await splitPostgres({ ...ask, to, parts: 2 })).toHaveLength(2);
  });

  it("warns a role that may not see the transactions of others, until it may", async () => {
    const { query, url, urlOf } = await postgres();
    const role = new URL(url).pathname.slice(1).replace("test", "role");
    await query(
      `${table}; create role ${role} login password 'canary-database-password'; grant select on t to ${role}`,
    );
    onTestFinished(async () => {
      await query(`drop owned by ${role}; drop role ${role}`);
    });
    const ask = readRequestOf(urlOf(role, "canary-database-password"), changedBy);
    const other = await sessionAt(url);
    await other.query("begin; insert into t values (1)");
    const { oldestOpen, warnings } = await readLimitOfPostgres(ask);
    expect(oldestOpen).toBeUndefined();
    expect(warnings?.join()).toMatch(/may not see .* up to the overlap only/);
    await query(`grant pg_read_all_stats to ${role}`);
    const seeing = await readLimitOfPostgres(ask);
    expect(seeing.warnings).toEqual([]);
    expect(changedIn(seeing.oldestOpen)).not.toBe("");
  });

  it("takes a time without a zone for one of the server's own", async () => {
    const { query, url } = await postgres();
    await query(inTokyo);
    await query(`create table t (id int primary key, at timestamp not null default now());
      insert into t values (1, default), (2, now() + interval '1 hour')`);
    const ask = readRequestOf(url, changedBy);
    const { to, future, warnings } = await readLimitOfPostgres(ask);
    expect(future).toBe(1);
    expect(warnings).toEqual([
      "at has no time zone and `time_zone` is not set: it is taken for Asia/Tokyo, the server's own",
    ]);
    expect(columnIn(await pagesOf(ask, { to }), "id")).toEqual(["1"]);
  });

  it("takes a time without a zone for one of the zone that is configured, whatever the server's is", async () => {
    const { query, url } = await postgres();
    await query(`${inTokyo}
      create table t (id int primary key, at timestamp not null);
      insert into t values (1, now() at time zone 'UTC'), (2, (now() at time zone 'UTC') + interval '1 hour')`);
    const ask = readRequestOf(url, { ...changedBy, time_zone: "UTC" });
    const late = await sessionAt(url);
    await late.query("begin; select pg_sleep(0)");
    const { to, future, oldestOpen, warnings } = await readLimitOfPostgres(ask);
    expect({ future, warnings }).toEqual({ future: 1, warnings: [] });
    expect(changedIn(to) >= changedIn(oldestOpen) && changedIn(oldestOpen) !== "").toBe(true);
    expect(columnIn(await pagesOf(ask, { to }), "id")).toEqual(["1"]);
    const when = new Date(Date.now() + 60_000);
    const moment = positionAt({ config: ask.config, when });
    expect(columnIn(await pagesOf(ask, { to: moment }), "id")).toEqual(["1"]);
    expect(columnIn(await pagesOf(ask, { from: moment }), "id")).toEqual(["2"]);
  });

  it("notices a server's clock that went back since the last run, and goes back as far", async () => {
    const { query, url } = await postgres();
    // The first schema in the search path provides the clock of this database.
    await query(`create schema clock;
      create function clock.clock_timestamp() returns timestamptz language sql volatile
        as $$ select pg_catalog.clock_timestamp() + interval '5 hours' $$;
      do $$ begin
        execute format('alter database %I set search_path = clock, pg_catalog, public', current_database());
      end $$;
      create table public.t (id int primary key, at timestamptz not null);
      insert into public.t values (1, now() + interval '4 hours')`);
    const ask = readRequestOf(url, { ...changedBy, table: "public.t" });
    const ahead = await readLimitOfPostgres(ask);
    const position = lastOf(await pagesOf(ask, { to: ahead.to }));
    await query("drop schema clock cascade");
    await query("insert into t values (2, now() + interval '30 minutes')");
    const { to, warnings } = await readLimitOfPostgres({ ...ask, since: position });
    expect(warnings?.join()).toMatch(/^the server's clock went back by 5 h since the last run/);
    const behind = { config: ask.config, position };
    expect(columnIn(await pagesOf(ask, { from: rewindPostgres(behind) }), "id")).toEqual([]);
    const from = rewindPostgres({ ...behind, to });
    expect(columnIn(await pagesOf(ask, { from }), "id")).toEqual(["2", "1"]);
  });

  it("reads all where its own clock went back with the server's, which nothing shows but the checkpoint", async () => {
    const { query, url } = await postgres();
    await query(`create table t (id int primary key, at timestamptz not null);
      insert into t values (1, now() - interval '9 days'), (2, now() - interval '3 days')`);
    const ask = readRequestOf(url, changedBy);
    const { to } = await readLimitOfPostgres(ask);
    const changed = `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 19).replace("T", " ")}+00`;
    const since = { ...to, of: readingOf(ask.config), changed };
    const { whyOther, warnings } = await readLimitOfPostgres({ ...ask, since });
    expect(whyOther).toMatch(/^the checkpoint is 24 h ahead of the server's clock/);
    expect(warnings).toEqual([]);
    const from = rewindPostgres({ config: ask.config, position: since, to });
    expect(columnIn(await pagesOf(ask, { from }), "id")).toEqual(["1", "2"]);
  });

  it("leaves the rows of today to tomorrow where the change column holds days", async () => {
    const { query, url } = await postgres();
    await query(`create table t (id int primary key, at date not null);
      insert into t values (1, current_date - 1), (2, current_date), (3, current_date + 1)`);
    const ask = readRequestOf(url, changedBy);
    const { to, future } = await readLimitOfPostgres(ask);
    expect(future).toBe(1);
    expect(columnIn(await pagesOf(ask, { to }), "id")).toEqual(["1"]);
  });

  it("bounds nothing where the change column holds numbers, and says what that means", async () => {
    const { query, url } = await postgres();
    await query("create table t (id int primary key, at bigint not null)");
    const ask = readRequestOf(url, { table: "t", changed_by: { column: "at" } });
    const { to, oldestOpen, future, warnings } = await readLimitOfPostgres(ask);
    expect({ to, oldestOpen, future }).toEqual({});
    expect(warnings?.join()).toMatch(/a number, not a time/);
  });
});
