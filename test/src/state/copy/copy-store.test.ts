import { setTimeout as sleep } from "node:timers/promises";

import { Client } from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import { systemClock } from "../../../../src/clock.ts";
import { runEffect } from "../../../../src/effect.ts";
import { BusyError, ConfigError } from "../../../../src/errors.ts";
import { openInbox } from "../../../../src/inbox/open.ts";
import { openInboxReader } from "../../../../src/inbox/reader.ts";
import { Secret } from "../../../../src/security/secret.ts";
import { verdict } from "../../../../src/state/contract/keys/fingerprints.ts";
import type { PermitAnswer } from "../../../../src/state/contract/rate-limit.ts";
import { copyStore } from "../../../../src/state/copy/copy-store.ts";
import { marksOf } from "../../../../src/state/copy/marks.ts";
import { PostgresEnd } from "../../../../src/state/copy/postgres-end.ts";
import { SqliteEnd } from "../../../../src/state/copy/sqlite-end.ts";
import { migrateStore } from "../../../../src/state/postgres/migrate.ts";
import { openPostgresMethods } from "../../../../src/state/postgres/open-methods.ts";
import type { StoreServer } from "../../../../src/state/postgres/server.ts";
import { asStoreError } from "../../../../src/state/postgres/store-error.ts";
import { ageOf } from "../../../../src/state/rules/keys/ages.ts";
import type { StateStore } from "../../../../src/state/state-store.ts";
import { answerAtOnce } from "../../../../src/thread.ts";
import { postgres } from "../../../support/postgres/postgres.ts";
import { answeredHere, openStoreInline } from "../../../support/project/inline-threads.ts";
import { one as deliveryOf } from "../../inbox/deliveries.ts";
import { at, name, StoreUnderTest } from "../store-under-test.ts";
import { newFolder, newServer, sendRun } from "./support.ts";

/** A store in Postgres, in the calling thread. */
async function openServer(server: StoreServer): Promise<StateStore> {
  const opened = await openPostgresMethods(server);
  const answer = answerAtOnce(opened.methods, (error) => asStoreError(error, server));
  return answeredHere({ ...opened, answer }, runEffect);
}

function opening(runId: string): Parameters<StateStore["openRun"]>[0] {
  const workflow = { workflowId: "w", firstRunId: "f", kind: "sync" } as const;
  return {
    runId,
    ...name,
    ...workflow,
    temporalId: "t",
    configHash: "c",
    request: {},
    startedAt: at,
  };
}

/** The places of the open rejects. */
async function openIn(store: StateStore): Promise<readonly string[]> {
  return (await store.rejectsWhere({ isOpen: true, ...name, limit: 10 })).map(({ place }) => place);
}

/** A transaction of a sluice process: it has its snapshot, and no lock yet. */
async function beginOlder(url: string): Promise<Client> {
  const older = new Client({ connectionString: url, application_name: "sluice" });
  await older.connect();
  onTestFinished(async () => await older.end());
  await older.query("begin isolation level serializable");
  await older.query("select 1");
  return older;
}

describe("copyStore", () => {
  it("has records that were sent count as unchanged, rejects stay open and numbers go on, there and back", async () => {
    const stateFolder = await newFolder();
    const told = await openStoreInline(stateFolder);
    const first = StoreUnderTest.of(stateFolder, told);
    await sendRun(first, "r1", { keys: ["a", "b\u0000", "c"], rejected: ["x", "y"] });
    // One of the refused rows has since arrived in a valid form.
    await sendRun(first, "r2", { keys: ["x"] });
    await told.close();
    const server = await newServer();
    const { storeId } = await copyStore({ stateFolder, server, to: "postgres" });
    const there = await openServer(server);
    expect(there.storeId).toBe(storeId);
    expect(await openIn(there)).toEqual(["r1 y"]);
    const second = StoreUnderTest.of(stateFolder, there);
    // The refused row is older than the one that arrived since.
    await second.openRun("p1", "replay");
    const drawn = await there.beginStaging({ runId: "p1", chunk: 1, host: "h" });
    const replayed = { runId: "p1", chunk: 1, ...drawn, keys: ["x"], ages: [ageOf(1, 1)] };
    expect(await second.judge(replayed)).toEqual([verdict.superseded]);
    await there.dropStagings({ runId: "p1" });
    await there.endRun({ runId: "p1", outcome: "failed", endedAt: at });
    const keys = ["a", "b\u0000", "c", "x", "d"];
    const { unchanged, new: added } = verdict;
    const known = [unchanged, unchanged, unchanged, unchanged];
    expect(await sendRun(second, "r3", { keys: keys, rejected: ["z"] })).toEqual([...known, added]);
    await there.close();

    await copyStore({ stateFolder, server, to: "sqlite" });
    const here = await openStoreInline(stateFolder);
    onTestFinished(async () => await here.close());
    expect(await openIn(here)).toEqual(["r3 z", "r1 y"]);
    const third = StoreUnderTest.of(stateFolder, here);
    expect(await sendRun(third, "r4", { keys: [...keys, "e"] })).toEqual([
      ...known,
      unchanged,
      added,
    ]);
    expect(await here.runs({ limit: 10 })).toHaveLength(5);
  });

  it("has what was pushed wait there, each id once, and what is pushed later after it", async () => {
    const stateFolder = await newFolder();
    const here = await openInbox({ stateFolder });
    onTestFinished(async () => await here.close());
    await here.keep(deliveryOf("a"));
    const server = await newServer();
    await copyStore({ stateFolder, server, to: "postgres" });
    // A receiver that was not stopped.
    await expect(here.keep(deliveryOf("lost"))).rejects.toThrow("was moved");
    await expect(openInbox({ stateFolder })).rejects.toThrow("was moved");
    await expect(openInboxReader({ stateFolder })).rejects.toThrow("was moved");
    const there = await openInbox({ stateFolder, store: server });
    onTestFinished(async () => await there.close());
    expect(there.inboxId).toBe(here.inboxId);
    expect(await there.keep(deliveryOf("a"))).toMatchObject({ kept: 0 });
    await there.keep(deliveryOf("b"));
    const kept = await there.read({ connection: "forms", after: 0, limit: 10 });
    expect(kept.map(({ seq, id }) => [seq, id])).toEqual([
      [1, "a"],
      [2, "b"],
    ]);
    const state = await openServer(server);
    onTestFinished(async () => await state.close());
    // An uncontended permit is one statement, not a transaction.
    const permit = { limits: ["api:1"], perSecond: 1_000, waitMaxMs: 60_000, priority: 1 } as const;
    const acquire = async (): Promise<PermitAnswer> =>
      await state.acquirePermit({ ...permit, ...systemClock()() });
    for (const time of ["first", "second"])
      expect([time, await acquire()]).toMatchObject([time, { granted: true }]);
    await copyStore({ stateFolder, server, to: "sqlite" });
    await expect(acquire()).rejects.toThrow("was moved");
    await expect(there.keep(deliveryOf("lost"))).rejects.toThrow("was moved");
  });

  it("is refused while a run has not ended or a worker works, and leaves all as it was", async () => {
    const stateFolder = await newFolder();
    const store = await openStoreInline(stateFolder);
    onTestFinished(async () => await store.close());
    await StoreUnderTest.of(stateFolder, store).openRun("r1");
    const request = { stateFolder, server: await newServer(), to: "postgres" } as const;
    await expect(copyStore(request)).rejects.toThrow(BusyError);
    await expect(copyStore(request)).rejects.toThrow("run r1 has not ended");
    await store.endRun({ runId: "r1", outcome: "done", endedAt: at });
    const beat = { hostId: "h", process: "h 1", temporalId: "t", lastBeat: Date.now() };
    await store.beat({ ...beat, version: "1", name: "n", command: "worker", configs: {} });
    await expect(copyStore(request)).rejects.toThrow("worker h 1 works with it");
  });

  it("has every process refuse both ends until it is made, and is made once more after it was cut off", async () => {
    const stateFolder = await newFolder();
    const store = await openStoreInline(stateFolder);
    onTestFinished(async () => await store.close());
    await sendRun(StoreUnderTest.of(stateFolder, store), "r1", { keys: ["a"] });
    const server = await newServer();
    const request = { stateFolder, server, to: "postgres" } as const;
    const [from, into] = [new SqliteEnd(stateFolder), await PostgresEnd.open(server)];
    onTestFinished(
      async () => await Promise.all([from.close(), into.close()]).then(() => undefined),
    );
    await from.prepare();
    const marks = marksOf({ from, into }, { from: await from.facts(), into: await into.facts() });
    await into.mark(marks.into);
    await expect(openPostgresMethods(server)).rejects.toThrow(`continues in ${from.name}`);
    await from.mark(marks.from);
    await expect(store.openRun(opening("r2"))).rejects.toThrow(`continues in ${into.name}`);
    expect((await copyStore(request)).tables).toMatchObject({ runs: 1 });
    expect((await copyStore(request)).storeId).toBeUndefined();
    const other = { ...request, server: await newServer() };
    await expect(copyStore(other)).rejects.toThrow(ConfigError);
  });

  it("waits for a transaction that saw the store before it was moved", async () => {
    const { url, admin } = await postgres();
    const server = { url: new Secret(url), schema: "sluice" };
    const end = await PostgresEnd.open(server);
    onTestFinished(async () => await end.close());
    const older = await beginOlder(url);
    let isMarked = false;
    const facts = await end.facts();
    const { from: mark } = marksOf({ from: end, into: end }, { from: facts, into: facts });
    const marking = end.mark(mark).then(() => (isMarked = true));
    const isSaid = "select from sluice.meta where name = 'moved_to'";
    await expect.poll(async () => (await admin.query(isSaid)).rowCount).toBe(1);
    await older.query("insert into sluice.plans (run_id, plan, samples) values ('r', 'p', 's')");
    expect(isMarked).toBe(false);
    await older.query("commit");
    await marking;
  });

  it("waits for it once more after it was cut off in that wait", async () => {
    const { url } = await postgres();
    const [server, stateFolder] = [{ url: new Secret(url), schema: "sluice" }, await newFolder()];
    await copyStore({ stateFolder, server, to: "postgres" });
    const older = await beginOlder(url);
    // As after a copy that was killed while it waited for that transaction.
    const [from, into] = [await PostgresEnd.open(server), new SqliteEnd(stateFolder)];
    const marks = marksOf({ from, into }, { from: await from.facts(), into: await into.facts() });
    const marking = Promise.allSettled([into.mark(marks.into), from.mark(marks.from)]);
    await expect.poll(async () => (await from.facts()).get("moved_to")).toBe(into.name);
    await Promise.all([from.close(), into.close(), marking]);
    const copying = copyStore({ stateFolder, server, to: "sqlite" });
    await Promise.race([copying, sleep(1_000)]);
    await older.query("insert into sluice.plans (run_id, plan, samples) values ('r', 'p', 's')");
    await older.query("commit");
    expect((await copying).tables).toMatchObject({ plans: 1 });
  });

  it("leaves the project where it was when what had begun does not end", async () => {
    const { url } = await postgres();
    const [server, stateFolder] = [{ url: new Secret(url), schema: "sluice" }, await newFolder()];
    await copyStore({ stateFolder, server, to: "postgres" });
    await beginOlder(url);
    const clock = performance.now.bind(performance);
    // Each reading of the clock is a minute later.
    let minutes = 0;
    const now = vi.spyOn(performance, "now");
    now.mockImplementation(() => clock() + 60_000 * (minutes += 1));
    const copying = copyStore({ stateFolder, server, to: "sqlite" });
    await expect(copying).rejects.toThrow("a transaction of a process of sluice does not end");
    now.mockRestore();
    const { close } = await openPostgresMethods(server);
    await expect(close()).resolves.toBeUndefined();
  });

  it("takes nothing into a store of another project", async () => {
    const [mine, others] = [await newFolder(), await newFolder()];
    const server = await newServer();
    for (const stateFolder of [others, mine]) {
      const store = await openStoreInline(stateFolder);
      await sendRun(StoreUnderTest.of(stateFolder, store), "r1", { keys: ["a"] });
      await store.close();
    }
    await copyStore({ stateFolder: others, server, to: "postgres" });
    const copying = copyStore({ stateFolder: mine, server, to: "postgres" });
    await expect(copying).rejects.toThrow("holds runs, events or checkpoints of a project already");
    const store = await openStoreInline(mine);
    onTestFinished(async () => await store.close());
    expect(await store.runs({ limit: 5 })).toHaveLength(1);
  });

  it("takes nothing into a store of which the runs were pruned", async () => {
    const stateFolder = await newFolder();
    const server = await newServer();
    await migrateStore(server);
    const [here, there] = [await openStoreInline(stateFolder), await openServer(server)];
    onTestFinished(
      async () => await Promise.all([here.close(), there.close()]).then(() => undefined),
    );
    const change = { ...name, version: 0, position: { row: 3 }, reason: "a test", at };
    for (const store of [here, there]) await store.setCheckpoint(change);
    for (const to of ["postgres", "sqlite"] as const) {
      const copying = copyStore({ stateFolder, server, to });
      await expect(copying).rejects.toThrow("holds runs, events or checkpoints of a project");
    }
    expect(await there.checkpoint(name)).toMatchObject({ version: 1 });
  });

  it("takes a project back by whatever address its server is reached now", async () => {
    const stateFolder = await newFolder();
    const store = await openStoreInline(stateFolder);
    await sendRun(StoreUnderTest.of(stateFolder, store), "r1", { keys: ["a"] });
    await store.close();
    const server = await newServer();
    await copyStore({ stateFolder, server, to: "postgres" });
    const url = new URL(server.url.reveal());
    url.hostname = url.hostname === "localhost" ? "127.0.0.1" : "localhost";
    const other = { ...server, url: new Secret(url.href) };
    await copyStore({ stateFolder, server: other, to: "sqlite" });
    const back = await openStoreInline(stateFolder);
    onTestFinished(async () => await back.close());
    expect(await back.runs({ limit: 5 })).toHaveLength(1);
    await expect(openPostgresMethods(server)).rejects.toThrow("was moved");
  });

  it("leaves the project where it was when it cannot be finished", async () => {
    const stateFolder = await newFolder();
    const store = await openStoreInline(stateFolder);
    onTestFinished(async () => await store.close());
    await sendRun(StoreUnderTest.of(stateFolder, store), "r1", { keys: ["a"] });
    const { url, admin } = await postgres();
    const server = { url: new Secret(url), schema: "sluice" };
    await migrateStore(server);
    await admin.query(
      `create function lose() returns trigger language plpgsql as 'begin return null; end';
       create trigger lose before insert on sluice.stagings for each row execute function lose()`,
    );
    const copying = copyStore({ stateFolder, server, to: "postgres" });
    await expect(copying).rejects.toThrow("stagings: 0 rows of 1 were copied");
    await expect(openPostgresMethods(server)).rejects.toThrow("continues in");
    await sendRun(StoreUnderTest.of(stateFolder, store), "r2", { keys: ["b"] });
    await admin.query("drop trigger lose on sluice.stagings");
    const { tables } = await copyStore({ stateFolder, server, to: "postgres" });
    expect(tables).toMatchObject({ runs: 2, stagings: 2 });
  });
});
