import { describe, expect, it } from "vitest";

import { blockRowsMax } from "../../../connectors/postgres/limits.ts";
import type { PostgresPosition } from "../../../connectors/postgres/position.ts";
import { readPostgres } from "../../../connectors/postgres/read.ts";
import { RetryLater } from "../../../src/errors.ts";
import { ownPostgres, postgres, type TestDatabase } from "../../support/postgres/postgres.ts";
import { until } from "../../support/process/process.ts";
import { readRequestOf, columnIn, pagesOf } from "./support.ts";

const companies = `create table companies (
  id bigint primary key, name text, updated_at timestamptz not null)`;

const changedBy = { table: "companies", changed_by: { column: "updated_at" } };

function numbers(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => String(index + 1));
}

/** A view of 6,000 rows; a statement that reads as far as `row` hangs. */
async function hangingAt(
  row: number,
): Promise<Pick<TestDatabase, "query"> & { readonly ask: ReturnType<typeof readRequestOf> }> {
  const { query, url } = await postgres();
  await query(`create table t (id int primary key);
    insert into t select generate_series(1, 6000);
    create function counted(id int) returns int stable language plpgsql as $$
      declare count int := coalesce(nullif(current_setting('test.count', true), ''), '0')::int + 1;
      begin
        perform set_config('test.count', count::text, true);
        if count = ${row} then perform pg_sleep(60); end if;
        return id;
      end $$;
    create view v as select id, counted(id) as counted from t`);
  return { query, ask: readRequestOf(url, { table: "v", key: ["id"], statement_timeout: "1s" }) };
}

describe("readPostgres", () => {
  it("reads 1,000 rows that were stamped in one microsecond, 7 a page, each exactly once", async () => {
    const { query, url } = await postgres();
    await query(`${companies}; insert into companies
      select n, 'name', '2024-03-10 15:00:00.123456+00' from generate_series(1, 1000) n`);
    const pages = await pagesOf(readRequestOf(url, changedBy));
    expect(columnIn(pages, "id")).toEqual(numbers(1000));
    expect(pages).toHaveLength(143);
    expect(pages[0]?.position).toMatchObject({
      changed: "2024-03-10 15:00:00.123456+00",
      key: ["7"],
    });
  });

  it("continues after any page with exactly the rows that are left", async () => {
    const { query, url } = await postgres();
    await query(`${companies}; insert into companies
      select n, 'name', timestamptz '2024-03-10' + (n % 3) * interval '1 microsecond'
      from generate_series(1, 60) n`);
    const ask = readRequestOf(url, changedBy);
    const pages = await pagesOf(ask);
    for (const [index, { position }] of pages.entries()) {
      const left = columnIn(await pagesOf(ask, { from: position }), "id");
      expect(left).toEqual(columnIn(pages.slice(index + 1), "id"));
      const before = columnIn(await pagesOf(ask, { to: position }), "id");
      expect(before).toEqual(columnIn(pages.slice(0, index + 1), "id"));
    }
  });

  it.each([blockRowsMax - 1, blockRowsMax, blockRowsMax + 1])(
    "reads %i rows in order, whatever one statement reads",
    async (count) => {
      const { query, url } = await postgres();
      await query(`create table t (id int primary key);
        insert into t select generate_series(1, ${count})`);
      const pages = await pagesOf(readRequestOf(url, { table: "t" }), { pageRowsMax: 1_000 });
      expect(columnIn(pages, "id")).toEqual(numbers(count));
    },
  );

  it("reads rows of many bytes with statements of fewer rows", async () => {
    const { query, url } = await postgres();
    await query(`create table t (id int primary key, body text);
      alter table t alter body set storage external;
      insert into t select n, repeat('x', 1000000) from generate_series(1, 60) n`);
    const pages = await pagesOf(readRequestOf(url, { table: "t" }), { pageRowsMax: 1_000 });
    expect(columnIn(pages, "id")).toEqual(numbers(60));
    // A page is held in memory, so a block of wide rows must not become a single page.
    expect(Math.max(...pages.map(({ rows }) => rows.length))).toBeLessThan(40);
  });

  it("reads by a key of several columns, in their own order and not in that of text", async () => {
    const { query, url } = await postgres();
    await query(`create table lines (shop text, line int, primary key (shop, line));
      insert into lines select shop, n from unnest(array['a', 'b,c']) shop, generate_series(1, 12) n`);
    const pages = await pagesOf(readRequestOf(url, { table: "lines" }));
    expect(columnIn(pages, "line")).toEqual([...numbers(12), ...numbers(12)]);
    expect(pages[2]?.position).toEqual({ key: ["b,c", "9"] });
    expect(pages[2]?.where(0)).toBe(String.raw`public.lines:b\,c,3`);
  });

  it("reads a query, and finds rows by its key", async () => {
    const { query, url } = await postgres();
    await query(`${companies}; insert into companies
      select n, case when n % 2 = 0 then 'even' end, '2024-03-10' from generate_series(1, 20) n`);
    const text =
      "select id, updated_at at time zone 'UTC' as at from companies where name = 'even' -- half";
    const ask = readRequestOf(url, { query: text, key: ["id"], changed_by: { column: "at" } });
    const pages = await pagesOf(ask);
    expect(columnIn(pages, "id")).toEqual(numbers(10).map((id) => String(Number(id) * 2)));
    expect(pages[0]?.where(6)).toBe("query:14");
  });

  it("takes quotes, capitals, dots and what looks like SQL for the letters of a name (T4)", async () => {
    const { query, url } = await postgres();
    await query(`create schema "My.Schema"; create table victim (id int);
      create table "My.Schema"."x""; drop table victim; --"
        ("Id ""1""" int primary key, "constructor" text, "__proto__" text);
      insert into "My.Schema"."x""; drop table victim; --" values (1, 'c', 'p')`);
    const table = `"My.Schema"."x""; drop table victim; --"`;
    const pages = await pagesOf(readRequestOf(url, { table, key: [`Id "1"`] }));
    expect(pages.map(({ rows }) => rows.map((row) => Object.entries(row)))).toEqual([
      [
        [
          [`Id "1"`, "1"],
          ["constructor", "c"],
          ["__proto__", "p"],
        ],
      ],
    ]);
    expect(pages[0]?.where(0)).toBe(`${table}:1`);
    expect(await query("select count(*) from victim")).toEqual([{ count: "0" }]);
  });

  it("takes no second statement after a query", async () => {
    const { query, url } = await postgres();
    await query("create table victim (id int)");
    const text =
      "select 1 as id) a) b; drop table victim; select * from (select * from (select 1 as id";
    const reading = pagesOf(readRequestOf(url, { query: text, key: ["id"] }));
    await expect(reading).rejects.toThrow(/cannot insert multiple commands/);
    expect(await query("select count(*) from victim")).toEqual([{ count: "0" }]);
  });

  it("cannot write", async () => {
    const { query, url } = await postgres();
    await query(`create table t (id int);
      create function f() returns int language sql as 'insert into t values (1) returning id'`);
    const ask = readRequestOf(url, { query: "select f() as id", key: ["id"] });
    await expect(pagesOf(ask)).rejects.toThrow(/read-only transaction \(25006\)/);
    expect(await query("select count(*) from t")).toEqual([{ count: "0" }]);
  });

  it("refuses a query with two rows of one key", async () => {
    const { url } = await postgres();
    const text = "select 1 as id, n from generate_series(1, 2) n";
    const reading = pagesOf(readRequestOf(url, { query: text, key: ["id"] }));
    await expect(reading).rejects.toThrow("two rows have the same id: they cannot be the key");
  });

  it("reads up to a moment in a column of local times", async () => {
    const { query, url } = await postgres();
    await query(`create table t (id int primary key, at timestamp not null);
      insert into t values (1, '2024-07-01 10:00'), (2, '2024-07-01 11:59'), (3, '2024-07-01 12:01')`);
    const config = { table: "t", changed_by: { column: "at" }, time_zone: "Europe/Berlin" };
    const ask = readRequestOf(url, config);
    const to = { of: "t by at", changed: "2024-07-01 10:00:00+00" };
    expect(columnIn(await pagesOf(ask, { to }), "id")).toEqual(["1", "2"]);
  });

  it("tells texts apart as the collation of a view or query does", async () => {
    const { query, url } = await postgres();
    await query(`create collation caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
      create table t (id text collate caseless, n int);
      insert into t values ('0', 1), ('a', 2), ('A', 3), ('b', 4);
      create view v as select * from t`);
    const read = async (config: object): Promise<unknown> =>
      await pagesOf(readRequestOf(url, { key: ["id"], ...config }), { pageRowsMax: 1 });
    const twice = "two rows have the same id: they cannot be the key";
    await expect(read({ table: "v" })).rejects.toThrow(twice);
    await expect(read({ query: "select id, n from t" })).rejects.toThrow(twice);
    const ordered = read({ query: "select id, n from t", changed_by: { column: "n" } });
    expect(await ordered).toHaveLength(4);
    await query("delete from t where n = 2");
    expect(await read({ table: "v" })).toHaveLength(3);
    expect(await read({ query: `select id collate "C" as id from t` })).toHaveLength(3);
  });

  it.each([
    ["numbers", "select trim_scale(1.0) as id union all select 1.0"],
    ["spans of time", "select interval '1 day' as id union all select interval '24 hours'"],
    ["lists", "select array[1.0, 2] as id union all select array[trim_scale(1.0), 2]"],
  ])("refuses a query with two equal keys that are written unlike: %s", async (_, text) => {
    const { url } = await postgres();
    const reading = pagesOf(readRequestOf(url, { query: text, key: ["id"] }), { pageRowsMax: 1 });
    await expect(reading).rejects.toThrow("two rows have the same id: they cannot be the key");
  });

  it("reads a query whose keys are lists, with equal items in one and in neighbours", async () => {
    const { url } = await postgres();
    const query =
      "select id from (values (array[1, 1]), (array[1, 2]), (array[2, null])) as t (id)";
    const pages = await pagesOf(readRequestOf(url, { query, key: ["id"] }), { pageRowsMax: 1 });
    expect(columnIn(pages, "id")).toEqual(["[1,1]", "[1,2]", "[2,null]"]);
  });

  it.each(["NaN", "Infinity"])("passes no row by for one whose number is %s", async (last) => {
    const { query, url } = await postgres();
    await query(`create table t (id int primary key, at numeric not null);
      insert into t values (1, 1), (2, '${last}')`);
    const reading = pagesOf(readRequestOf(url, { table: "t", changed_by: { column: "at" } }));
    await expect(reading).rejects.toThrow(/no row could come after it/);
  });

  it("refuses a position that was made with another change column or key", async () => {
    const { query, url } = await postgres();
    await query(companies);
    const other: readonly PostgresPosition[] = [
      { key: ["1"] },
      { of: "t by at", changed: "2024-03-10 00:00:00+00", key: ["1", "2"] },
      // It was made before the column had a zone.
      { of: "t by at", changed: "2024-03-10 00:00:00", key: ["1"] },
    ];
    for (const from of other) {
      await expect(pagesOf(readRequestOf(url, changedBy), { from })).rejects.toThrow(
        /another changed_by or key/,
      );
    }
  });

  it("leaves no transaction and no lock while somebody works on a page", async () => {
    const { query, url } = await postgres();
    await query(
      `${companies}; insert into companies select n, 'x', now() from generate_series(1, 20) n`,
    );
    const reading = readPostgres({ ...readRequestOf(url, changedBy), pageRowsMax: 7 });
    await reading.next();
    const sessions = `select state, xact_start from pg_stat_activity
      where application_name = 'sluice' and datname = current_database()`;
    expect(await query(sessions)).toEqual([{ state: "idle", xact_start: null }]);
    await query("alter table companies add more text");
    await reading.return(undefined);
    await until(async () => (await query(sessions)).length === 0);
  });

  it("reads the next block while somebody works on one, unless it was slow or is not wanted", async () => {
    const { query, url } = await postgres();
    await query(`create table t (id int primary key);
      insert into t select generate_series(1, 25000);
      create view slow as select id from t where (select pg_sleep(0.4)) is not null`);
    const sessions = `select 1 from pg_stat_activity
      where application_name = 'sluice' and datname = current_database()`;
    const scans = async (): Promise<number> => {
      const [found] = await query(
        "select (seq_scan + idx_scan)::int as scans from pg_stat_user_tables where relname = 't'",
      );
      return Number(found?.["scans"]);
    };
    const scansOf = async (table: string, limit?: number): Promise<number> => {
      const before = await scans();
      const ask = readRequestOf(url, { table, key: ["id"] });
      const reading = readPostgres({ ...ask, pageRowsMax: 1_000, limit });
      await reading.next();
      await reading.return(undefined);
      await until(async () => (await query(sessions)).length === 0);
      return (await scans()) - before;
    };
    const [one, two] = [await scansOf("t", blockRowsMax), await scansOf("t")];
    expect(two).toBe(one + 1);
    expect(await scansOf("slow")).toBe(await scansOf("slow", blockRowsMax));
  });

  it("is told that the server is gone, and later continues from the last page with every row once", async () => {
    const { query, restart, url } = await ownPostgres();
    await query(`create table t (id int primary key);
        insert into t select generate_series(1, 25000)`);
    const ask = readRequestOf(url, { table: "t" });
    const seen: unknown[] = [];
    let from: PostgresPosition | undefined;
    const read = async (): Promise<void> => {
      for await (const page of readPostgres({ ...ask, from, pageRowsMax: 1_000 })) {
        seen.push(...columnIn([page], "id"));
        from = page.position;
        if (seen.length === 2_000) await restart();
      }
    };
    await expect(read()).rejects.toThrow(RetryLater);
    // The second block was requested before, and may have arrived.
    expect([10_000, 20_000]).toContain(seen.length);
    await read();
    expect(seen).toEqual(numbers(25_000));
  });

  it("reads half as many rows after a statement that took too long, and half of those", async () => {
    const { ask } = await hangingAt(2_600);
    expect(columnIn(await pagesOf(ask, { pageRowsMax: 1_000 }), "id")).toEqual(numbers(6_000));
  });

  it("says what to do when the third statement takes too long too", async () => {
    const { ask } = await hangingAt(2_400);
    const failure = await pagesOf(ask).catch((error: unknown) => error);
    expect(failure).toHaveProperty("message", expect.stringContaining("57014"));
    expect(failure).toHaveProperty("field", "statement_timeout");
  });

  describe("in the middle of a statement", () => {
    const busy = `select pid from pg_stat_activity
      where application_name = 'sluice' and datname = current_database() and state = 'active'`;

    it("is told that its session was ended", async () => {
      const { ask, query } = await hangingAt(1);
      const reading = pagesOf({ ...ask, config: { ...ask.config, statement_timeout: 60_000 } });
      const ended = reading.catch((error: unknown) => error);
      // A session that was busy a moment ago may now be between two statements.
      const terminate = `select pg_terminate_backend(pid) from (${busy}) as busy`;
      await until(async () => (await query(terminate)).length === 1);
      expect(await ended).toBeInstanceOf(RetryLater);
    });

    it("ends within moments when it is cancelled, and so does the statement", async () => {
      const { ask, query } = await hangingAt(1);
      const aborting = new AbortController();
      const config = { ...ask.config, statement_timeout: 60_000 };
      const reading = pagesOf({ ...ask, config, signal: aborting.signal });
      const ended = reading.catch((error: unknown) => error);
      await until(async () => (await query(busy)).length === 1);
      aborting.abort();
      expect(await ended).toBe(aborting.signal.reason);
      await until(async () => (await query(busy)).length === 0);
    });
  });
});
