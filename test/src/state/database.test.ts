import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";

import { describe, expect, it } from "vitest";

import { BusyError, ConfigError } from "../../../src/errors.ts";
import { openDatabase } from "../../../src/state/sqlite/database.ts";
import { migrations } from "../../../src/state/sqlite/migrations/migrations.ts";
import { createRateLimitStore } from "../../../src/state/store/rate-limit.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";

/** Writes transactions of some ms, one after another without a pause, and counts them. */
const busyWriter = `
  import { workerData, parentPort } from "node:worker_threads";
  const { openDatabase } = await import(workerData.database);
  const db = openDatabase(workerData.file);
  const put = db.prepare("insert or replace into meta (name, value) values ('busy', $at)");
  for (;;) {
    db.write(() => {
      const untilMs = performance.now() + 5;
      while (performance.now() < untilMs) put.run({ at: String(untilMs) });
    });
    if (Atomics.add(workerData.count, 0, 1) === 0) parentPort.postMessage("begun");
    Atomics.notify(workerData.count, 0);
  }`;

/** How often the other one writes in between. */
const times = 20;

describe("openDatabase", () => {
  it("lets another process write between two transactions of a busy one", async () => {
    const file = join(await temporaryFolder(), "state.db");
    const db = openDatabase(file);
    const count = new Int32Array(new SharedArrayBuffer(4));
    const database = new URL("../../../src/state/sqlite/database.ts", import.meta.url).href;
    const busy = new Worker(new URL(`data:text/javascript,${encodeURIComponent(busyWriter)}`), {
      workerData: { file, database, count },
    });
    await once(busy, "message");

    const put = db.prepare("insert or replace into meta (name, value) values ('other', '')");
    const meanwhile: number[] = [];
    for (let time = 0; time < times; time += 1) {
      const before = Atomics.load(count, 0);
      // Wait until the busy one has written once more, so that it is in the middle of its work.
      Atomics.wait(count, 0, before);
      db.write(() => put.run());
      meanwhile.push(Atomics.load(count, 0) - before);
    }

    await busy.terminate();
    db.close();
    // Usually 3 or 4, and more if this process is not scheduled in time. With SQLite's own waiting it is some dozens.
    expect(meanwhile.toSorted((a, b) => a - b)[times / 2]).toBeLessThan(10);
  });

  it("leaves the schema of a store as it is while a worker of an older version works with it", async () => {
    const file = join(await temporaryFolder(), "state.db");
    const older = openDatabase(file, migrations.slice(0, 1));
    const beat = older.prepare(
      "insert or replace into hosts (host_id, process, temporal_id, last_beat, version) values " +
        "('1', '42', 't', $at, '0.0.9')",
    );
    beat.run({ at: Date.now() - 30_000 });
    expect(() => openDatabase(file)).toThrow(BusyError);
    expect(() => openDatabase(file)).toThrow("worker 42 of sluice 0.0.9 works with it");
    const version = older.prepare("pragma user_version");
    expect(version.get()).toEqual({ user_version: 1 });
    // A process that beat before the clock was set back is gone, like a silent one.
    beat.run({ at: Date.now() + 3_600_000 });
    openDatabase(file).close();
    expect(version.get()).toEqual({ user_version: migrations.length });
    older.close();
  });

  it("has a process write no more that was not heard of while a newer one migrated its store", async () => {
    const file = join(await temporaryFolder(), "state.db");
    const known = migrations.length - 1;
    const older = openDatabase(file, migrations.slice(0, known));
    const put = older.prepare("insert into meta (name, value) values ('test', '')");
    openDatabase(file).close();
    const refusal = `was migrated to schema version ${known + 1}; this process opened it as version ${known}`;
    expect(() => older.write(() => put.run())).toThrow(ConfigError);
    expect(() => older.writeUnsynced(() => put.run())).toThrow(refusal);
    await expect(older.state.write(async () => put.run())).rejects.toMatchObject({
      field: "store",
    });
    expect(older.prepare("select value from meta where name = 'test'").all()).toEqual([]);
    older.close();
  });

  it("keeps what blocks requests when a store with gates is migrated", async () => {
    const file = join(await temporaryFolder(), "state.db");
    const older = openDatabase(file, migrations.slice(0, 2));
    older
      .prepare(
        "insert into budget values ('api:1', 'boot', 5000, 5000, 0, 0, 4000, 1000000, 60000, " +
          "'429', 0, null, 0, 0, 0, 0, 0)",
      )
      .run();
    older.close();
    const db = openDatabase(file);
    const boot = { id: "boot", upMs: 24_000 };
    expect(await createRateLimitStore(db.state).rateLimits({ nowMs: 0, boot })).toEqual([
      { limit: "api:1", blockedUntil: 40_000, why: "429", breaker: "closed" },
    ]);
    const after = { id: "next boot", upMs: 0 };
    expect(
      await createRateLimitStore(db.state).rateLimits({ nowMs: 1_050_000, boot: after }),
    ).toMatchObject([{ blockedUntil: 1_060_000 }]);
    db.close();
  });

  it("is opened beside a living worker of the same schema", async () => {
    const file = join(await temporaryFolder(), "state.db");
    const one = openDatabase(file);
    one
      .prepare(
        "insert into hosts (host_id, process, temporal_id, last_beat, version) values ('1', '42', 't', $at, '9')",
      )
      .run({ at: Date.now() });
    const other = openDatabase(file);
    expect(other.storeId).toBe(one.storeId);
    other.close();
    one.close();
  });
});
