import { setTimeout as sleep } from "node:timers/promises";

import { expect, it, onTestFinished } from "vitest";

import { StateUnavailableError } from "../../../../src/errors.ts";
import { openPostgresInbox } from "../../../../src/inbox/postgres/open.ts";
import { Secret } from "../../../../src/security/secret.ts";
import { openPostgresDatabase } from "../../../../src/state/postgres/database.ts";
import { migrateStore } from "../../../../src/state/postgres/migrate.ts";
import { until } from "../../../support/process/process.ts";
import { one } from "../../inbox/deliveries.ts";
import { newServer, openMigrated, setInDatabase } from "./postgres-store.ts";

it("a store that takes writes again is written to by who has asked it all the time", async () => {
  const { server, test } = await openMigrated();
  await setInDatabase(test, "default_transaction_read_only", "on");
  const database = openPostgresDatabase(server, { secondsMax: 1 });
  onTestFinished(async () => await database.close());
  const write = async (): Promise<string> =>
    await database.state.write(async () => undefined).then(() => "written", String);
  expect(await write()).toContain("read-only transaction");
  // The admin's session began before the setting, so it may still write.
  await test.admin.query(`alter database ${new URL(test.url).pathname.slice(1)} reset all`);
  let said = "";
  for (let tries = 0; tries < 50 && said !== "written"; tries += 1) {
    await sleep(100);
    said = await write();
  }
  expect(said).toBe("written");
});

it.each([
  { fault: "nologin", over: "login", says: "is not permitted to log in" },
  { fault: "password 'other'", over: "password 'its own'", says: "password authentication failed" },
  { fault: "nosuperuser", over: "superuser", says: "permission denied" },
])("a store that refuses a role ($fault) is waited for by who had opened it", async (role) => {
  const { test, schema } = await newServer();
  const name = `worker_${new URL(test.url).pathname.slice(1)}`;
  await test.query(`create role ${name} superuser login password 'its own'`);
  onTestFinished(async () => void (await test.admin.query(`drop role ${name}`)));
  await migrateStore({ url: new Secret(test.url), schema });
  const inbox = await openPostgresInbox({ url: new Secret(test.urlOf(name, "its own")), schema });
  onTestFinished(async () => await inbox.close());
  await test.query(
    `alter role ${name} ${role.fault};
     select pg_terminate_backend(pid) from pg_stat_activity where usename = '${name}'`,
  );
  for (const asked of [
    async () => await inbox.keep(one("1")),
    async () => await inbox.backlogs(),
  ]) {
    // The first call may learn that its connection was ended.
    await until(async () => {
      const refused: unknown = await asked().catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(StateUnavailableError);
      return String(refused).includes(role.says);
    });
  }
  await test.query(`alter role ${name} ${role.over}`);
  expect(await inbox.keep(one("1"))).toMatchObject({ kept: 1 });
});
