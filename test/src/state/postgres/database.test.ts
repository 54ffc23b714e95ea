import { randomBytes } from "node:crypto";

import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";

import { SluiceError, SupersededError, StateUnavailableError } from "../../../../src/errors.ts";
import { Secret } from "../../../../src/security/secret.ts";
import { migrateStore, pendingStatements } from "../../../../src/state/postgres/migrate.ts";
import { storeSteps, tableNames } from "../../../../src/state/postgres/schema.ts";
import { recordsOf, textsOf } from "../../../../src/state/store/lists.ts";
import type { Queries, StateDatabase } from "../../../../src/state/store/state-database.ts";
import { newServer, opened, openMigrated, setInDatabase } from "./postgres-store.ts";

const name = "counted";

async function valueOf(queries: Queries): Promise<number | undefined> {
  const found = await queries
    .selectFrom("meta")
    .select("value")
    .where("name", "=", name)
    .executeTakeFirst();
  return found === undefined ? undefined : Number(found.value);
}

/** Reads, and writes the value plus one; another transaction may come in between. */
async function countOne(queries: Queries): Promise<void> {
  const before = await valueOf(queries);
  await sql`select pg_sleep(0.02)`.execute(queries);
  const value = String((before ?? 0) + 1);
  if (before === undefined) await queries.insertInto("meta").values({ name, value }).execute();
  else await queries.updateTable("meta").set({ value }).where("name", "=", name).execute();
}

async function beSlow(queries: Queries): Promise<void> {
  await sql`select pg_sleep(1.2)`.execute(queries);
}

async function thrownBy(work: Promise<unknown>): Promise<SluiceError> {
  const error: unknown = await work.then(() => "nothing").catch((thrown: unknown) => thrown);
  if (error instanceof SluiceError) return error;
  throw new Error(`no error of ours: ${String(error)}`);
}

async function triesOf(
  state: StateDatabase,
  work: (queries: Queries) => Promise<unknown>,
): Promise<{ readonly tries: number; readonly error: SluiceError }> {
  let tries = 0;
  const written = state.write(async (queries) => {
    tries += 1;
    await work(queries);
  });
  return { error: await thrownBy(written), tries };
}

describe("a transaction on Postgres", () => {
  it("is as if it were alone: what others came between is done again", async () => {
    const { state } = await openMigrated();
    // The row exists already: two transactions that add the same row would conflict in any case.
    await state.write(countOne);
    await Promise.all(Array.from({ length: 5 }, async () => await state.write(countOne)));
    expect(await valueOf(state.queries)).toBe(6);
  });

  it("is tried a third time by few, however many want the same rows", async () => {
    const { state, server } = await openMigrated();
    const states = [state, ...[1, 2, 3].map(() => opened(server).state)];
    const works = Array.from({ length: 16 }, async (_, index) => {
      let tries = 0;
      await states[index % states.length]?.write(async (queries) => {
        tries += 1;
        await countOne(queries);
      });
      return tries;
    });
    const tries = await Promise.all(works);
    expect(await valueOf(state.queries)).toBe(works.length);
    expect(Math.max(...tries)).toBeLessThanOrEqual(3);
  });

  it("is done again for nothing else: not where its connection was lost", async () => {
    const { state } = await openMigrated();
    const lost = await triesOf(state, async (queries) => {
      await countOne(queries);
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(queries);
    });
    expect(lost.error).toBeInstanceOf(StateUnavailableError);
    expect(lost.tries).toBe(1);
    expect(await valueOf(state.queries)).toBeUndefined();
  });

  it("waits for a connection as long as others have them all", async () => {
    const { server } = await openMigrated();
    const url = new Secret(`${server.url.reveal()}?connect_timeout=1`);
    const { state } = opened({ ...server, url });
    // One more than there are connections, which are assigned first come, first served.
    const slow = Array.from({ length: 6 }, async () => await state.write(beSlow));
    await expect(Promise.all(slow)).resolves.toHaveLength(6);
  });

  it("passes an error of ours on, and leaves nothing", async () => {
    const { state } = await openMigrated();
    const thrown = await triesOf(state, async (queries) => {
      await countOne(queries);
      throw new SupersededError("a later attempt");
    });
    expect(thrown).toMatchObject({ tries: 1, error: { message: "a later attempt" } });
    expect(await valueOf(state.queries)).toBeUndefined();
  });

  it.each([
    { is: "survives a power cut", setting: "synchronous_commit", given: "off", shown: "on" },
    { is: "is not too slow", setting: "statement_timeout", given: "30s", shown: "0" },
    { is: "waits as long as it takes", setting: "lock_timeout", given: "1ms", shown: "0" },
    { is: "keeps null within a list", setting: "array_nulls", given: "off", shown: "on" },
    {
      is: "is ended where its host is silent",
      setting: "idle_in_transaction_session_timeout",
      given: "0",
      shown: "1min",
    },
  ])("$is, whatever the database is set to", async ({ setting, given, shown }) => {
    const { state, test } = await openMigrated();
    await setInDatabase(test, setting, given);
    const found = await state.write(async (queries) => {
      const { rows } = await sql<{ on: string }>`
        select current_setting(${setting}) as "on"`.execute(queries);
      return rows[0]?.on;
    });
    expect(found).toBe(shown);
  });

  it("asks for no session settings: every table is named with its schema", async () => {
    const { state, test } = await openMigrated();
    await test.query("create schema decoy");
    await test.query("create table decoy.meta (name text primary key, value text not null)");
    await test.query("alter role current_user set search_path = decoy");
    await state.write(countOne);
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table("meta")} where name = ${name}`.execute(
      state.queries,
    );
    await test.query("alter role current_user reset search_path");
    expect(rows[0]?.count).toBe(1);
    expect(await test.query("select * from decoy.meta")).toEqual([]);
  });
});

describe("a text with a NUL", () => {
  it.each(["a\u0000b", "\u0001", "\u0001\u0002", "\u0000\u0001"])(
    "is written, found and read: %j",
    async (text) => {
      const { state } = await openMigrated();
      const one = { setId: 1, key: text, runId: "r" };
      await state.queries.insertInto("strayKeys").values(one).execute();
      const found = await state.queries
        .selectFrom("strayKeys")
        .select("key")
        .where("key", "in", textsOf(state.queries, ["other", text]))
        .execute();
      const records = recordsOf(state.queries, [[text, 7]]);
      const { rows } = await sql`
        select mine.record from ${records} mine join ${sql.table("strayKeys")} s on s.key = mine.key`.execute(
        state.queries,
      );
      expect([found, rows]).toEqual([[{ key: text }], [{ record: 7 }]]);
    },
  );
});

describe("a key", () => {
  const key = randomBytes(5_000).toString("hex");

  it.each([
    ["refusals", { setId: 1, key, hash: Buffer.alloc(16), code: "c", notedAt: "t" }],
    ["doubts", { setId: 1, key, request: 1 }],
    ["strayKeys", { setId: 1, key, runId: "r" }],
  ] as const)("may be longer than an entry of an index, among the %s", async (table, row) => {
    const { state } = await openMigrated();
    await state.queries.insertInto(table).values(row).execute();
    const found = state.queries.selectFrom(table).select("key").where("key", "=", key);
    expect(await found.execute()).toEqual([{ key }]);
    await expect(state.queries.insertInto(table).values(row).execute()).rejects.toThrow("unique");
  });

  it("may be of a place that is as long", async () => {
    const { state } = await openMigrated();
    const replay = { runId: "r", number: 1, rejectRun: "q", chunk: 1, ordinal: 1, place: key };
    const row = { ...replay, spanSend: 1, age: 1 };
    await state.queries.insertInto("replays").values(row).execute();
    const found = state.queries.selectFrom("replays").select("age").where("place", "=", key);
    expect(await found.execute()).toEqual([{ age: 1 }]);
  });
});

describe("a time", () => {
  it("is read as it was written, whatever the database is set to", async () => {
    const { state, server, test } = await openMigrated();
    await setInDatabase(test, "extra_float_digits", "0");
    const [since, last] = [1_764_170_691_000.123, 1_764_170_691_123.456];
    const fault = { runId: "r", chunk: 1, fault: "f", times: 1, since, last };
    await state.queries.insertInto("faults").values(fault).execute();
    const read = await opened(server).state.queries.selectFrom("faults").selectAll().execute();
    expect(read).toEqual([fault]);
  });
});

describe("a schema", () => {
  it("is made once, by statements that are shown before", async () => {
    const { test, ...server } = await newServer();
    const shown = await pendingStatements(server);
    expect(shown.join(";\n")).toContain(`"Sluice's state".runs`);
    expect(shown.at(0)).toMatch(/^begin/);
    expect(shown.at(-1)).toBe("commit");
    expect(await migrateStore(server)).toEqual({ from: 0, to: storeSteps.length });
    expect(await pendingStatements(server)).toEqual([]);
    expect(await migrateStore(server)).toEqual({ from: storeSteps.length, to: storeSteps.length });
    const tables = "select count(*)::int as n from pg_tables where schemaname = 'Sluice''s state'";
    expect(await test.query(tables)).toEqual([{ n: tableNames.size }]);
  });

  it("is made by one of those who do it at the same time", async () => {
    const { test, ...server } = await newServer();
    await setInDatabase(test, "default_transaction_isolation", "serializable");
    const made = await Promise.all([1, 2, 3].map(async () => await migrateStore(server)));
    expect(made.filter(({ from }) => from === 0)).toHaveLength(1);
  });

  it("is named as it is also where a query is part of another", async () => {
    const { queries } = (await openMigrated()).state;
    const sends = queries.selectFrom("stagings").select("send");
    const deleted = queries.deleteFrom("sentKeys").where("send", "in", sends).execute();
    await expect(deleted).resolves.toHaveLength(1);
  });

  it("may have any name that Postgres takes", async () => {
    const { test: _, url } = await newServer();
    const server = { url, schema: "a$$b$&" };
    await migrateStore(server);
    expect(await valueOf(opened(server).state.queries)).toBeUndefined();
  });

  it("is not made in a database that cannot hold every text", async () => {
    const { test, ...server } = await newServer();
    const url = new URL(test.url);
    url.pathname += "_latin1";
    const database = url.pathname.slice(1);
    await test.query(`create database ${database} template template0 encoding 'LATIN1' locale 'C'`);
    onTestFinished(async () => void (await test.query(`drop database ${database} with (force)`)));
    const refused = await thrownBy(migrateStore({ ...server, url: new Secret(url.href) }));
    expect(refused).toMatchObject({ code: "ConfigError", field: "store.url" });
    expect(refused.message).toContain("the encoding of the database is LATIN1, not UTF8");
  });

  it.each(["runs (id text)", "meta (id text)", "meta (name text, value text)"])(
    "is of its own where somebody else has a table %s",
    async (table) => {
      const { test, ...server } = await newServer();
      await test.query(`create schema "Sluice's state"`);
      await test.query(`create table "Sluice's state".${table}`);
      const refused = await thrownBy(migrateStore(server));
      expect(refused).toMatchObject({ code: "ConfigError", field: "store.schema" });
      expect(refused.message).toContain("there are tables that are not the store's");
    },
  );

  it("is asked for where it is not made yet", async () => {
    const { test: _, ...server } = await newServer();
    const { message, hint } = await thrownBy(opened(server).state.write(countOne));
    expect(message).toContain("has no tables yet");
    expect(hint).toContain("sluice store migrate");
  });

  it("of a newer sluice is left alone", async () => {
    const { state, server, test } = await openMigrated();
    await test.query(`update "Sluice's state".meta set value = '99' where name = 'schema_version'`);
    expect((await thrownBy(state.write(countOne))).message).toContain("schema version 99");
    expect((await thrownBy(migrateStore(server))).message).toContain("schema version 99");
    expect(await valueOf(state.queries)).toBeUndefined();
  });
});

describe("a store in Postgres says what to do", () => {
  it("where the role may not", async () => {
    const { server, test } = await openMigrated();
    await test.query("create role worker login password 'not so secret'");
    const url = new Secret(test.urlOf("worker", "not so secret"));
    const { state } = opened({ ...server, url });
    const { hint = "" } = await thrownBy(state.write(countOne));
    await test.query(hint.replace("run: ", ""));
    await state.write(countOne);
    await expect(migrateStore({ ...server, url })).resolves.toEqual({
      from: storeSteps.length,
      to: storeSteps.length,
    });
    await test.query("drop owned by worker; drop role worker");
  });

  it("where the server takes no writes", async () => {
    const { server, test } = await openMigrated();
    await test.query(`do $$ begin execute format(
      'alter database %I set default_transaction_read_only = on', current_database()); end $$`);
    const { message, hint } = await thrownBy(opened(server).state.write(countOne));
    expect(message).toContain("read-only transaction");
    expect(hint).toContain("takes writes");
  });

  it("where it cannot be reached, or the password is wrong, without the password", async () => {
    const { server, test } = await openMigrated();
    const away = { ...server, url: new Secret("postgres://sluice:hushhush@127.0.0.1:1/state") };
    const wrong = { ...server, url: new Secret(test.urlOf("sluice", "hushhush")) };
    const errors = [
      await thrownBy(opened(away).state.write(countOne)),
      await thrownBy(opened(wrong).state.write(countOne)),
    ];
    expect(errors.map(({ code }) => code)).toEqual(["Unavailable", "ConfigError"]);
    expect(JSON.stringify(errors.map((each) => [String(each), each]))).not.toContain("hushhush");
    expect(String(errors[0])).toContain("127.0.0.1:1");
  });
});
