import { setTimeout as sleep } from "node:timers/promises";

import { sql } from "kysely";
import { describe, expect, it } from "vitest";

import { openMigrated, setInDatabase } from "./postgres-store.ts";

describe("a transaction on Postgres", () => {
  it.each([
    { is: "is ended where its host is silent", setting: "idle_in_transaction_session_timeout" },
    { is: "is not too slow", setting: "statement_timeout" },
    { is: "waits as long as it takes", setting: "lock_timeout" },
  ])("$is, from its first statement on", async ({ setting }) => {
    const { state, test } = await openMigrated();
    await setInDatabase(test, setting, "45s");
    const found = await state.queries.transaction().execute(async (queries) => {
      const { rows } = await sql<{ on: string }>`
        select current_setting(${setting}) as "on"`.execute(queries);
      return rows[0]?.on;
    });
    expect(found).toBe(setting.startsWith("idle") ? "1min" : "0");
  });

  it("waits for others that are tried again, whatever the database is set to", async () => {
    const { state, test } = await openMigrated();
    await setInDatabase(test, "lock_timeout", "1ms");
    await test.admin.query(
      `begin; lock table "Sluice's state".checkpoint_audit in share update exclusive mode`,
    );
    let tries = 0;
    const written = state.write(async (queries) => {
      tries += 1;
      if (tries > 1) return;
      await sql`do $$ begin raise exception using errcode = '40001'; end $$`.execute(queries);
    });
    await sleep(200);
    await test.admin.query("commit");
    await written;
    expect(tries).toBe(2);
  });
});
