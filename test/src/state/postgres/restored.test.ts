import { chown, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";

import { describe, expect, it, onTestFinished } from "vitest";

import { ConfigError, StateUnavailableError } from "../../../../src/errors.ts";
import { Secret } from "../../../../src/security/secret.ts";
import { verdict } from "../../../../src/state/contract/keys/fingerprints.ts";
import { migrateStore } from "../../../../src/state/postgres/migrate.ts";
import { openPostgresStore } from "../../../../src/state/postgres/open.ts";
import type { StoreServer } from "../../../../src/state/postgres/server.ts";
import type { StateStore } from "../../../../src/state/state-store.ts";
import {
  ownPostgres,
  postgres,
  type OwnDatabase,
  type TestDatabase,
} from "../../../support/postgres/postgres.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { name, StoreUnderTest } from "../store-under-test.ts";

async function storeOf(
  test: TestDatabase,
): Promise<{ readonly server: StoreServer; readonly open: () => Promise<StateStore> }> {
  const server = { url: new Secret(test.url), schema: "sluice" };
  await migrateStore(server);
  const stateFolder = await temporaryFolder();
  const open = async (): Promise<StateStore> => {
    const store = await openPostgresStore(server, { stateFolder });
    onTestFinished(async () => await store.close());
    return store;
  };
  return { server, open };
}

/** Makes a run send the record of a key. Returns whether it is sent. */
async function send(store: StateStore, runId: string): Promise<number | undefined> {
  const test = StoreUnderTest.of("", store);
  await test.openRun(runId);
  const { stage, send: number } = await store.beginStaging({ runId, chunk: 1, host: "h" });
  const place = { runId, chunk: 1, stage };
  const [said] = await test.judge({ ...place, send: number, keys: ["a"] });
  await test.commit(place);
  await store.endRun({ runId, outcome: "done", endedAt: "2026-01-01" });
  return said;
}

async function restartAsStandby({ query, restart }: OwnDatabase): Promise<void> {
  const [at] = await query("show data_directory");
  const folder = String(at?.["data_directory"]);
  const signal = join(folder, "standby.signal");
  await writeFile(signal, "");
  const { uid, gid } = await stat(folder);
  await chown(signal, uid, gid);
  await restart();
}

describe("a store in Postgres", () => {
  it("that was restored from a backup trusts nothing that it knows as sent, and each sync says so once", async () => {
    const test = await postgres();
    const { open } = await storeOf(test);
    const store = await open();
    expect(await send(store, "r1")).toBe(verdict.new);
    expect(await send(store, "r2")).toBe(verdict.unchanged);
    await test.query(
      `delete from sluice.stagings where run_id = 'r2'; delete from sluice.runs where run_id = 'r2';
       select setval(pg_get_serial_sequence('sluice.stagings', 'send'), 1)`,
    );
    const restored = await open();
    expect(await restored.isRestored(name)).toBe(true);
    expect(await send(restored, "r3")).toBe(verdict.new);
    const { rows } = await test.admin.query<{ send: string }>(
      "select max(send) as send from sluice.stagings",
    );
    expect(rows[0]?.send).toBe("3");
    await restored.tellRestored(name);
    expect(await (await open()).isRestored(name)).toBe(false);
    expect(await send(store, "r4")).toBe(verdict.unchanged);
  });

  it("whose standby took over trusts nothing of before and continues, and a standby is refused", async () => {
    const test = await ownPostgres();
    const { open } = await storeOf(test);
    const store = await open();
    expect([await send(store, "r1"), await send(store, "r2")]).toEqual([
      verdict.new,
      verdict.unchanged,
    ]);
    await restartAsStandby(test);
    await expect(open()).rejects.toThrow(ConfigError);
    await expect(open()).rejects.toThrow("is a standby");
    await test.query("select pg_promote()");
    // The call that notices it has started from data that may never have existed.
    await expect(store.openRun(opening("r3"))).rejects.toThrow(StateUnavailableError);
    expect(await store.isRestored(name)).toBe(true);
    expect([await send(store, "r4"), await send(store, "r5")]).toEqual([
      verdict.new,
      verdict.unchanged,
    ]);
    expect(await send(await open(), "r6")).toBe(verdict.unchanged);
  });

  it("whose standby took over trusts nothing of before also in a process that had only met the standby", async () => {
    const test = await ownPostgres();
    const { open } = await storeOf(test);
    expect(await send(await open(), "r1")).toBe(verdict.new);
    const store = await open();
    await restartAsStandby(test);
    await expect(store.openRun(opening("r2"))).rejects.toMatchObject({
      code: "Unavailable",
      hint: expect.stringMatching(/^name the server that takes writes/) as unknown,
    });
    await test.query("select pg_promote()");
    expect([await send(store, "r3"), await send(store, "r4")]).toEqual([
      verdict.new,
      verdict.unchanged,
    ]);
    expect(await store.isRestored(name)).toBe(true);
  });

  it("is refused where nothing may be written, with what to do", async () => {
    const test = await postgres();
    const { server, open } = await storeOf(test);
    const [row] = await test.query("select current_database() as name");
    const database = String(row?.["name"]);
    const role = `reader_${database}`;
    await test.query(
      `create role ${role} login password 'p'; grant usage on schema sluice to ${role};
       grant select on all tables in schema sluice to ${role}`,
    );
    onTestFinished(async () => {
      await test.admin.query(`drop owned by ${role}; drop role ${role}`);
    });
    const reader = { ...server, url: new Secret(test.urlOf(role, "p")) };
    const refused: unknown = await openPostgresStore(reader).catch((error: unknown) => error);
    expect(inspect(refused)).toContain("may not read and write");
    expect(inspect(refused)).toContain("grant select, insert");
    await test.query(`alter database ${database} set default_transaction_read_only = on`);
    await expect(open()).rejects.toThrow("is set to be read-only");
  });
});

function opening(runId: string): Parameters<StateStore["openRun"]>[0] {
  const workflow = { workflowId: "w", firstRunId: "f", kind: "sync", temporalId: "t" } as const;
  return { runId, ...name, ...workflow, configHash: "c", request: {}, startedAt: "2026-01-01" };
}
