import { Client } from "pg";
import { expect, it, onTestFinished } from "vitest";

import { Secret } from "../../../../src/security/secret.ts";
import { migrateStore } from "../../../../src/state/postgres/migrate.ts";
import { openPostgresMethods } from "../../../../src/state/postgres/open-methods.ts";
import { ownPostgres, postgres } from "../../../support/postgres/postgres.ts";

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
  // From here on a waiting commit waits forever: there is no such standby.
  await admin.query("alter system set synchronous_standby_names = 'nobody'");
  await admin.query("select pg_reload_conf()");
  onTestFinished(async () => {
    await admin.query("alter system reset all");
    await admin.query("select pg_reload_conf()");
    await close();
  });
  const waiting = async (name: string, seconds = 0): Promise<number | null> => {
    const found = await admin.query(
      `select from pg_stat_activity where wait_event = 'SyncRep' and application_name = '${name}'
        and datname = current_database() and state_change <= clock_timestamp() - interval '${seconds} seconds'`,
    );
    return found.rowCount;
  };
  // Each server process applies a setting in its own time: until all have, a waiting one may be released.
  const probe = new Client({ connectionString: url, application_name: "probe" });
  await probe.connect();
  const over = new AbortController();
  const probing = (async () => {
    while (!over.signal.aborted) await probe.query("select pg_current_xact_id()");
    await probe.end();
  })();
  await expect.poll(async () => await waiting("probe", 1), { timeout: 90_000 }).toBe(1);
  over.abort();
  expect(await acquire()).toMatchObject({ granted: true });
  let isNoted = false;
  const note = async (): Promise<void> => {
    const event = { kind: "failed", isProbe: false, why: "503" } as const;
    await methods.noteLimit({ limit: "api:2", event, nowMs: Date.now() });
    isNoted = true;
  };
  const noting = note();
  await expect.poll(async () => await waiting("sluice"), { timeout: 90_000 }).toBe(1);
  expect(await acquire()).toMatchObject({ granted: true });
  expect(isNoted).toBe(false);
  await admin.query("alter system reset synchronous_standby_names");
  await admin.query("select pg_reload_conf()");
  await noting;
  await probing;
}, 200_000);

it.each(["repeatable read", "serializable"])(
  "a permit that waited for another is given where the database is set to %s",
  async (level) => {
    const { url, admin } = await postgres();
    await admin.query(`alter database ${new URL(url).pathname.slice(1)}
      set default_transaction_isolation = '${level}'`);
    const server = { url: new Secret(url), schema: "sluice" };
    await migrateStore(server);
    const { methods, close } = await openPostgresMethods(server);
    onTestFinished(close);
    const ask = { limits: ["api:1"], perSecond: 1_000, waitMaxMs: 10_000, priority: 1 } as const;
    const acquire = async () => await methods.acquirePermit({ ...ask, nowMs: Date.now() });
    await acquire();
    const other = new Client({ connectionString: url });
    await other.connect();
    onTestFinished(async () => await other.end());
    await other.query("begin; update sluice.rate_limits set next_permit = next_permit + 1");
    const acquiring = acquire();
    const waiting = `select from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`;
    await expect.poll(async () => (await admin.query(waiting)).rowCount).toBe(1);
    await Promise.all([
      other.query("commit"),
      expect(acquiring).resolves.toMatchObject({ granted: true }),
    ]);
  },
);
