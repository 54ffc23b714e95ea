import { expect, it, onTestFinished } from "vitest";

import { Secret } from "../../../../src/security/secret.ts";
import { migrateStore } from "../../../../src/state/postgres/migrate.ts";
import { openPostgresMethods } from "../../../../src/state/postgres/open-methods.ts";
import { ownPostgres } from "../../../support/postgres/postgres.ts";

it("a permit waits for no flush, and all else that is committed does", async () => {
  const { url, admin } = await ownPostgres();
  const { pathname } = new URL(url);
  await admin.query(`alter database ${pathname.slice(1)} set synchronous_commit = 'on'`);
  const server = { url: new Secret(url), schema: "sluice" };
  await migrateStore(server);
  const { methods, close } = await openPostgresMethods(server);
  const ask = { limits: ["api:1"], perSecond: 1_000, waitMaxMs: 10_000, priority: 1 } as const;
  const acquire = async () => await methods.acquirePermit({ ...ask, nowMs: Date.now() });
  await acquire();
  // From here on a commit that waits, waits for ever: there is no such standby.
  await admin.query("alter system set synchronous_standby_names = 'nobody'");
  await admin.query("select pg_reload_conf()");
  onTestFinished(async () => {
    await admin.query("alter system reset all");
    await admin.query("select pg_reload_conf()");
    await close();
  });
  expect(await acquire()).toMatchObject({ granted: true });
  let isNoted = false;
  const note = async (): Promise<void> => {
    const event = { kind: "failed", isProbe: false, why: "503" } as const;
    await methods.noteLimit({ limit: "api:2", event, nowMs: Date.now() });
    isNoted = true;
  };
  const noting = note();
  const waits =
    "select from pg_stat_activity where wait_event = 'SyncRep' and datname = current_database()";
  await expect.poll(async () => (await admin.query(waits)).rowCount, { timeout: 30_000 }).toBe(1);
  expect(await acquire()).toMatchObject({ granted: true });
  expect(isNoted).toBe(false);
  await admin.query("alter system reset synchronous_standby_names");
  await admin.query("select pg_reload_conf()");
  await noting;
}, 60_000);
