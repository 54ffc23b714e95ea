import { sql } from "kysely";
import { Client, type ClientConfig } from "pg";
import { expect, it, onTestFinished } from "vitest";

import { StateUnavailableError } from "../../../../src/errors.ts";
import { quoteName } from "../../../../src/postgres/names.ts";
import { Secret } from "../../../../src/security/secret.ts";
import { lookAtStore } from "../../../../src/state/postgres/look-at-store.ts";
import { migrateStore } from "../../../../src/state/postgres/migrate.ts";
import { asStoreError } from "../../../../src/state/postgres/store-error.ts";
import { PostgresCluster, runSql } from "../../../support/postgres/postgres-cluster.ts";
import { openMigrated, setInDatabase } from "./postgres-store.ts";

it("a store says what to do where the role bounds what a statement may take", async () => {
  const { state, server, test } = await openMigrated();
  await setInDatabase(test, "statement_timeout", "50ms");
  const failed = await sql`select pg_sleep(5)`
    .execute(state.queries)
    .catch((error: unknown) => asStoreError(error, server, true));
  expect(failed).toBeInstanceOf(StateUnavailableError);
  expect(failed).toHaveProperty("hint", expect.stringContaining("set statement_timeout to 0"));
});

it("a store says what to do where the disk of its server is full", async () => {
  const { state, server } = await openMigrated();
  const failed = await sql`do $$ begin raise sqlstate '53100' using message = 'disk full'; end $$`
    .execute(state.queries)
    .catch((error: unknown) => asStoreError(error, server, true));
  expect(failed).toBeInstanceOf(StateUnavailableError);
  expect(failed).toHaveProperty("message", expect.stringContaining("53100"));
  expect(failed).toHaveProperty("hint", expect.stringContaining("make room on the disk"));
});

it("a store is as large as its own tables are", async () => {
  const { server, test } = await openMigrated();
  const { bytes } = await lookAtStore(server);
  const of = quoteName(server.schema);
  await test.query(
    `create table ${of}.others as select repeat('x', 900) from generate_series(1, 2000)`,
  );
  const grown = (await lookAtStore(server)).bytes - bytes;
  expect(bytes).toBeGreaterThan(100_000);
  expect(grown).toBeLessThan(1_000_000);
});

it("a reader of a store's changes is no standby, whatever the role may see of it", async () => {
  const cluster = await PostgresCluster.start();
  onTestFinished(async () => await cluster.remove());
  const { url } = cluster;
  await runSql(url, "alter system set wal_level = logical");
  await cluster.restart();
  await runSql(
    url,
    "create role worker login password 'w' in role pg_write_all_data, pg_read_all_data",
  );
  const store = { url: new Secret(url), schema: "sluice" };
  await migrateStore(store);
  // The types do not know of it.
  const config: ClientConfig & { replication: string } = {
    connectionString: url,
    replication: "database",
  };
  const reader = new Client(config);
  reader.on("error", () => undefined);
  await reader.connect();
  onTestFinished(async () => await reader.end());
  await reader.query("CREATE_REPLICATION_SLOT reader TEMPORARY LOGICAL pgoutput");
  const options = "proto_version '1', publication_names 'none'";
  // Answered when the connection ends.
  void reader.query(`START_REPLICATION SLOT reader LOGICAL 0/0 (${options})`).catch(() => null);
  const senders = async (): Promise<unknown> =>
    await runSql(url, "select state from pg_stat_replication");
  await expect.poll(senders).toEqual([{ state: "streaming" }]);
  const worker = Object.assign(new URL(url), { username: "worker", password: "w" }).href;
  for (const role of [url, worker]) {
    const { losesOnFailOver } = await lookAtStore({ ...store, url: new Secret(role) });
    expect([role, losesOnFailOver]).toEqual([role, false]);
  }
});
