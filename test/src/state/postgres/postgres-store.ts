import { onTestFinished } from "vitest";

import { Secret } from "../../../../src/security/secret.ts";
import {
  openPostgresDatabase,
  type PostgresDatabase,
} from "../../../../src/state/postgres/database.ts";
import { migrateStore } from "../../../../src/state/postgres/migrate.ts";
import type { StoreServer } from "../../../../src/state/postgres/server.ts";
import { postgres, type TestDatabase } from "../../../support/postgres/postgres.ts";

/** A schema whose name has to be quoted, in a database of its own that has no tables yet. */
export async function newServer(): Promise<StoreServer & { readonly test: TestDatabase }> {
  const test = await postgres();
  return { url: new Secret(test.url), schema: "Sluice's state", test };
}

/** A database that is closed when the test ends. */
export function opened(server: StoreServer): PostgresDatabase {
  const database = openPostgresDatabase(server);
  onTestFinished(async () => await database.close());
  return database;
}

/** A migrated store. */
export async function openMigrated(): Promise<
  PostgresDatabase & { readonly server: StoreServer; readonly test: TestDatabase }
> {
  const { test, ...server } = await newServer();
  await migrateStore(server);
  return { ...opened(server), server, test };
}

/** Sets a default for new sessions of a database. */
export async function setInDatabase(
  test: TestDatabase,
  setting: string,
  value: string,
): Promise<void> {
  const { pathname } = new URL(test.url);
  await test.query(`alter database ${pathname.slice(1)} set ${setting} = '${value}'`);
}
