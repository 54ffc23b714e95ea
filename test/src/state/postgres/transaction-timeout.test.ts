import { expect, it } from "vitest";

import { Secret } from "../../../../src/security/secret.ts";
import { copyStore } from "../../../../src/state/copy/copy-store.ts";
import { migrateStore } from "../../../../src/state/postgres/migrate.ts";
import type { StoreServer } from "../../../../src/state/postgres/server.ts";
import { postgres, type TestDatabase } from "../../../support/postgres/postgres.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { openStoreInline } from "../../../support/project/inline-threads.ts";
import { opened } from "./postgres-store.ts";

/**
 * A database that behaves like one of a server with `transaction_timeout`, as in Postgres from 17 on, whatever its own
 * version: its functions of settings come before the server's in the search path, and record who set it to what.
 */
async function newerServer(): Promise<{
  readonly server: StoreServer;
  readonly test: TestDatabase;
}> {
  const test = await postgres();
  await test.query(
    `create schema newer; create table newer.told (who text not null, value text not null);
     create function newer.current_setting(name text, missing_ok boolean) returns text language sql as $$
       select case name when 'transaction_timeout' then '1s' else pg_catalog.current_setting(name, missing_ok) end $$;
     create function newer.set_config(name text, value text, is_local boolean) returns text language plpgsql as $$ begin
       if name <> 'transaction_timeout' then return pg_catalog.set_config(name, value, is_local); end if;
       if is_local then insert into newer.told values (pg_catalog.current_setting('application_name'), value); end if;
       return value; end $$`,
  );
  await test.query(
    `do $$ begin execute format(
       'alter database %I set search_path = newer, pg_catalog', current_database()); end $$`,
  );
  return { server: { url: new Secret(test.url), schema: "sluice" }, test };
}

it("a migration, a transaction and a copy take as long as they take, whatever the role is set to", async () => {
  const { server, test } = await newerServer();
  await migrateStore(server);
  await opened(server).state.write(async () => undefined);
  const stateFolder = await temporaryFolder();
  await (await openStoreInline(stateFolder)).close();
  await copyStore({ stateFolder, server, to: "postgres" });
  expect(await test.query("select distinct who, value from newer.told order by who")).toEqual([
    { who: "sluice", value: "0" },
    { who: "sluice store copy", value: "0" },
    { who: "sluice store migrate", value: "0" },
  ]);
});
