import { expect, it } from "vitest";

import { Secret } from "../../../../src/security/secret.ts";
import { copyStore } from "../../../../src/state/copy/copy-store.ts";
import { migrateStore } from "../../../../src/state/postgres/migrate.ts";
import { postgres } from "../../../support/postgres/postgres.ts";
import { openStoreInline } from "../../../support/project/inline-threads.ts";
import { at, StoreUnderTest } from "../store-under-test.ts";
import { newFolder } from "./support.ts";

it("a copy takes as long as it takes, whatever the database is set to", async () => {
  const { url, query } = await postgres();
  const [server, stateFolder] = [{ url: new Secret(url), schema: "sluice" }, await newFolder()];
  await migrateStore(server);
  const bounds = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"];
  const isBounded = bounds.map((bound) => `current_setting('${bound}') <> '0'`).join(" or ");
  await query(`create function refuse() returns trigger language plpgsql as $$ begin
    if ${isBounded} then raise 'it is bounded'; end if; return new; end $$`);
  await query("create trigger bounded before insert on sluice.runs execute function refuse()");
  for (const bound of bounds) {
    await query(`do $$ begin
      execute format('alter database %I set ${bound} = ''30s''', current_database()); end $$`);
  }
  const here = await openStoreInline(stateFolder);
  await StoreUnderTest.of(stateFolder, here).openRun("r1");
  await here.endRun({ runId: "r1", outcome: "done", endedAt: at });
  await here.close();
  const { tables } = await copyStore({ stateFolder, server, to: "postgres" });
  expect(tables).toMatchObject({ runs: 1 });
});
