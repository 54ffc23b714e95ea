import { randomBytes } from "node:crypto";

import { runEffect, type Effect } from "../../../src/effect.ts";
import { Secret } from "../../../src/security/secret.ts";
import { migrateStore } from "../../../src/state/postgres/migrate.ts";
import { openPostgresMethods } from "../../../src/state/postgres/open-methods.ts";
import type { StoreServer } from "../../../src/state/postgres/server.ts";
import { asStoreError } from "../../../src/state/postgres/store-error.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import { answerAtOnce } from "../../../src/thread.ts";
import { postgresServer } from "../postgres/postgres.ts";
import { answeredHere } from "./inline-threads.ts";

/** A schema for each folder, in one database of the server: to make one takes less than to make a database. */
const servers = new Map<string, Promise<StoreServer>>();

async function makeSchema(): Promise<StoreServer> {
  const url = new Secret(await postgresServer());
  const server = { url, schema: `sluice_test_${randomBytes(6).toString("hex")}` };
  await migrateStore(server);
  return server;
}

/** The schema that stands for a state folder, which is made when it is asked for first. */
export async function schemaOf(folder: string): Promise<StoreServer> {
  const made = servers.get(folder) ?? makeSchema();
  servers.set(folder, made);
  return await made;
}

/** The store in Postgres of a folder, in the calling thread; as `openStoreInline`. */
export async function openPostgresInline(
  folder: string,
  effect: Effect = runEffect,
  numberBits?: number,
): Promise<StateStore> {
  const server = await schemaOf(folder);
  const opened = await openPostgresMethods(server, { numberBits });
  const answer = answerAtOnce(opened.methods, (error) => asStoreError(error, server));
  return answeredHere({ ...opened, answer }, effect);
}
