import { escapeLiteral } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";

import { runEffect } from "../../../../src/effect.ts";
import { StateUnavailableError } from "../../../../src/errors.ts";
import { openPostgresInbox } from "../../../../src/inbox/postgres/open.ts";
import { quoteName } from "../../../../src/postgres/names.ts";
import { verdict } from "../../../../src/state/contract/keys/fingerprints.ts";
import { migrateStore } from "../../../../src/state/postgres/migrate.ts";
import { openPostgresMethods } from "../../../../src/state/postgres/open-methods.ts";
import { asStoreError } from "../../../../src/state/postgres/store-error.ts";
import type { StateStore } from "../../../../src/state/state-store.ts";
import { answerAtOnce } from "../../../../src/thread.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { answeredHere } from "../../../support/project/inline-threads.ts";
import { numbers } from "../../../support/sequences.ts";
import { one } from "../../inbox/deliveries.ts";
import { name, StoreUnderTest } from "../store-under-test.ts";
import { newServer } from "./postgres-store.ts";

/** A store on which hosts work, each with a state folder of its own. */
async function newStore() {
  const { test, ...server } = await newServer();
  await migrateStore(server);
  const schema = quoteName(server.schema);
  const open = async (stateFolder: string): Promise<StateStore> => {
    const opened = await openPostgresMethods(server, { stateFolder });
    const answer = answerAtOnce(opened.methods, (error) => asStoreError(error, server, true));
    const store = answeredHere({ ...opened, answer }, runEffect);
    onTestFinished(async () => await store.close());
    return store;
  };
  /** Sets the store back to when it had drawn this many stagings, as restoring a dump does. */
  const goBackTo = async (last: number): Promise<void> => {
    await test.query(
      `delete from ${schema}.runs where run_id in (select run_id from ${schema}.stagings where send > ${last});
       delete from ${schema}.stagings where send > ${last};
       select setval(pg_get_serial_sequence(${escapeLiteral(`${schema}.stagings`)}, 'send'), ${last})`,
    );
  };
  const eachTable = (work: string): string =>
    `do $$ declare name text; begin
       for name in select tablename from pg_tables where schemaname = ${escapeLiteral(server.schema)} loop
         execute format(${escapeLiteral(work)}, name);
       end loop; end $$`;
  /** Makes a backup of the tables. Returns what restores it. */
  const backUp = async (): Promise<() => Promise<void>> => {
    await test.query("create schema kept");
    await test.query(eachTable(`create table kept.%1$I as table ${schema}.%1$I`));
    const putBack = `insert into ${schema}.%1$I overriding system value table kept.%1$I`;
    const restore = eachTable(`truncate ${schema}.%1$I; ${putBack}`);
    return async () => {
      await test.query(restore);
    };
  };
  return { server, schema, query: test.query, open, goBackTo, backUp };
}

const beat = { hostId: "h", process: "1", temporalId: "t", version: "1", lastBeat: 0 };

/** Makes a run stage the record of a key. */
async function stageRun(store: StateStore, runId: string) {
  const test = StoreUnderTest.of("", store);
  await test.openRun(runId);
  const { stage, send: number } = await store.beginStaging({ runId, chunk: 1, host: "h" });
  const place = { runId, chunk: 1, stage };
  const [said] = await test.judge({ ...place, send: number, keys: ["a"] });
  const leave = async (): Promise<void> => {
    await test.commit(place);
    await store.endRun({ runId, outcome: "done", endedAt: "2026-01-01" });
  };
  return { said, leave };
}

/** Makes a run send the record of a key. Returns whether it is sent. */
async function send(store: StateStore, runId: string): Promise<number | undefined> {
  const { said, leave } = await stageRun(store, runId);
  await leave();
  return said;
}

describe("a store in Postgres that is another one than it was", () => {
  it("is noticed by a worker that works on when it went back to a backup", async () => {
    const { open, goBackTo } = await newStore();
    const store = await open(await temporaryFolder());
    expect(await send(store, "r1")).toBe(verdict.new);
    expect(await send(store, "r2")).toBe(verdict.unchanged);
    await goBackTo(1);
    await expect(send(store, "r3")).rejects.toThrow(StateUnavailableError);
    expect(await store.isRestored(name)).toBe(true);
    expect(await send(store, "r4")).toBe(verdict.new);
    expect(await send(store, "r5")).toBe(verdict.unchanged);
  });

  it("is noticed by a worker that has nothing to do", async () => {
    const { open, goBackTo } = await newStore();
    const [store, other] = [
      await open(await temporaryFolder()),
      await open(await temporaryFolder()),
    ];
    for (const n of numbers(3)) await send(store, `r${n}`);
    await goBackTo(1);
    await store.beat(beat);
    expect(await other.isRestored(name)).toBe(true);
    await other.tellRestored(name);
    await store.beat(beat);
    expect(await other.isRestored(name)).toBe(false);
  });

  it("keeps no page of a pull that waited in the backup, and says that it may be paid twice", async () => {
    const { open, goBackTo } = await newStore();
    const store = await open(await temporaryFolder());
    await StoreUnderTest.of("", store).openRun("p1");
    const pull = { target: name.target, pull: "scores" };
    const asked = {
      configHash: "c",
      queryHash: "q",
      writeHash: "w",
      anew: false,
      hasDomains: false,
    };
    await store.beginPull({ ...pull, ...asked, runId: "p1" });
    const { version = 0 } = (await store.pullPlace(pull)) ?? {};
    await store.keepPage({ ...pull, runId: "p1", version, page: { items: [] } });
    for (const n of numbers(2)) await send(store, `r${n}`);
    await goBackTo(1);
    await store.beat(beat);
    expect(await store.pullPlace(pull)).toMatchObject({ page: null, isAsking: true, version });
  });

  it("is noticed by a host that starts once another one has drawn as many numbers", async () => {
    const { open, goBackTo } = await newStore();
    const [a, b] = [await temporaryFolder(), await temporaryFolder()];
    const first = await open(a);
    for (const n of numbers(3)) await send(first, `a${n}`);
    await first.close();
    await goBackTo(1);
    const other = await open(b);
    for (const n of numbers(5)) await send(other, `b${n}`);
    const again = await open(a);
    expect(await again.isRestored(name)).toBe(true);
    expect(await send(again, "a9")).toBe(verdict.new);
  });

  it("is noticed by whoever sent what the backup knows as staged", async () => {
    const { open, backUp } = await newStore();
    const folder = await temporaryFolder();
    const store = await open(folder);
    expect(await send(store, "r1")).toBe(verdict.new);
    const { leave } = await stageRun(store, "r2");
    const restore = await backUp();
    await leave();
    await restore();
    await expect(send(store, "r3")).rejects.toThrow(StateUnavailableError);
    expect(await store.isRestored(name)).toBe(true);
    expect(await send(store, "r4")).toBe(verdict.new);
    expect(await send(store, "r5")).toBe(verdict.unchanged);

    // It is noticed once.
    await store.tellRestored(name);
    expect(await (await open(folder)).isRestored(name)).toBe(false);
  });

  it("is noticed by the host that sent what the backup knows as staged, once others have sent, too", async () => {
    const { open, backUp } = await newStore();
    const [a, b] = [await temporaryFolder(), await temporaryFolder()];
    const first = await open(a);
    await send(first, "a1");
    const { leave } = await stageRun(first, "a2");
    const restore = await backUp();
    await leave();
    await first.close();
    await restore();
    const other = await open(b);
    await other.endRun({ runId: "a2", outcome: "abandoned", endedAt: "2026-01-01" });
    for (const n of numbers(3)) await send(other, `b${n}`);
    expect(await other.isRestored(name)).toBe(false);
    const again = await open(a);
    expect(await again.isRestored(name)).toBe(true);
    await again.tellRestored(name);
    expect(await (await open(a)).isRestored(name)).toBe(false);
  });

  it("has whoever began with the one before wait, and work on once that is there again", async () => {
    const { server, schema, query, open } = await newStore();
    const store = await open(await temporaryFolder());
    const inbox = await openPostgresInbox(server);
    onTestFinished(async () => await inbox.close());
    const keep = async (id: string): Promise<number> => (await inbox.keep(one(id))).kept;
    expect([await send(store, "r1"), await keep("1")]).toEqual([verdict.new, 1]);
    await query(`alter schema ${schema} rename to away`);
    const writes = [async () => await send(store, "r2"), async () => await keep("2")];
    for (const work of [...writes, async () => await store.runs({ limit: 1 })]) {
      await expect(work()).rejects.toThrow(StateUnavailableError);
    }
    // Somebody has made an empty store, as the message of a store without tables suggests.
    await migrateStore(server);
    for (const work of writes) {
      await expect(work()).rejects.toThrow("is another one than this process began with");
    }
    await query(`drop schema ${schema} cascade; alter schema away rename to ${schema}`);
    expect([await send(store, "r2"), await keep("1")]).toEqual([verdict.unchanged, 0]);
  });

  it("of another version by now has others try what a worker of before took", async () => {
    const { schema, query, open } = await newStore();
    const folder = await temporaryFolder();
    const store = await open(folder);
    await query(`update ${schema}.meta set value = '99' where name = 'schema_version'`);
    const isOther = "has schema version 99";
    const refused: unknown = await store.beat(beat).catch((error: unknown) => error);
    expect(String(refused)).toContain(isOther);
    expect(refused).toMatchObject({ field: "store", retryBudgetMs: 60_000 });
    const atOnce: unknown = await open(folder).catch((error: unknown) => error);
    expect(String(atOnce)).toContain(isOther);
    expect(atOnce).toMatchObject({ field: "store", retryBudgetMs: undefined });
  });
});
