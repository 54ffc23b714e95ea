import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";

import { Client } from "pg";

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

/** A schema for each folder, in one database of the server: making one is cheaper than making a database. */
const servers = new Map<string, Promise<StoreServer>>();

/** What a store holds from its creation on. */
const bornWith = "'schema_version', 'store_id', 'inbox_id', 'salt', 'key_secret'";

/** A schema of a finished test, as good as new: making one takes 100 ms of processor time, and this 5. */
async function freedSchema(): Promise<StoreServer | undefined> {
  const [folder, made] = [...servers].find(([of]) => !existsSync(of)) ?? [];
  if (folder === undefined || made === undefined) return undefined;
  servers.delete(folder);
  const server = await made;
  const client = new Client(server.url.reveal());
  await client.connect();
  try {
    await client.query(`set search_path to ${server.schema}; ${emptied}`);
  } finally {
    await client.end();
  }
  return server;
}

/** One string of statements: separately they would be forty round trips. */
const emptied = `begin;
  delete from meta where name not in (${bornWith});
  do $$ declare s record; begin
    for s in select relname from pg_class
      where relnamespace = current_schema::regnamespace and relkind = 'r' and relname <> 'meta' loop
      -- A new file takes longer than deleting a few rows, and less than many.
      if pg_relation_size(s.relname::regclass) > 65536 then execute format('truncate %I', s.relname);
      elsif pg_relation_size(s.relname::regclass) > 0 then execute format('delete from %I', s.relname);
      end if;
    end loop;
    for s in select sequencename from pg_sequences where schemaname = current_schema and last_value is not null loop
      execute format('alter sequence %I restart', s.sequencename);
    end loop;
  end $$;
  commit`;

async function makeSchema(): Promise<StoreServer> {
  const freed = await freedSchema();
  if (freed !== undefined) return freed;
  const url = new Secret(await postgresServer());
  const server = { url, schema: `sluice_test_${randomBytes(6).toString("hex")}` };
  await migrateStore(server);
  return server;
}

/** The schema that represents a state folder; it is made on first use. */
export async function schemaOf(folder: string): Promise<StoreServer> {
  const made = servers.get(folder) ?? makeSchema();
  servers.set(folder, made);
  return await made;
}

/** The Postgres store of a folder, in the calling thread; like `openStoreInline`. */
export async function openPostgresInline(
  folder: string,
  effect: Effect = runEffect,
  numberBits?: number,
): Promise<StateStore> {
  const server = await schemaOf(folder);
  const opened = await openPostgresMethods(server, { numberBits, clock: "callers" });
  const answer = answerAtOnce(opened.methods, (error) => asStoreError(error, server));
  return answeredHere({ ...opened, answer }, effect);
}
