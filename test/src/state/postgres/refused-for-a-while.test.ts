import { setTimeout as sleep } from "node:timers/promises";

import { expect, it, onTestFinished } from "vitest";

import { openPostgresDatabase } from "../../../../src/state/postgres/database.ts";
import { openMigrated, setInDatabase } from "./postgres-store.ts";

it("a store that takes writes again is written to by who has asked it all the time", async () => {
  const { server, test } = await openMigrated();
  await setInDatabase(test, "default_transaction_read_only", "on");
  const database = openPostgresDatabase(server, { secondsMax: 1 });
  onTestFinished(async () => await database.close());
  const write = async (): Promise<string> =>
    await database.state.write(async () => undefined).then(() => "written", String);
  expect(await write()).toContain("read-only transaction");
  // A session that began before may.
  await test.admin.query(`alter database ${new URL(test.url).pathname.slice(1)} reset all`);
  let said = "";
  for (let tries = 0; tries < 50 && said !== "written"; tries += 1) {
    await sleep(100);
    said = await write();
  }
  expect(said).toBe("written");
});
