import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { escapeLiteral } from "pg";
import { z } from "zod";

import type { Effect } from "../../../src/effect.ts";
import { Secret } from "../../../src/security/secret.ts";
import { openPostgresMethods } from "../../../src/state/postgres/open-methods.ts";
import { asStoreError } from "../../../src/state/postgres/store-error.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import { answerAtOnce } from "../../../src/thread.ts";
import { runSql } from "../../support/postgres/postgres-cluster.ts";
import { schemaOf } from "../../support/project/inline-postgres.ts";
import { answeredHere, openStoreInline } from "../../support/project/inline-threads.ts";

/** A schema of a server, as passed to another process. */
export const schemaPlace = z.object({ url: z.string(), schema: z.string() });

/** The variable that passes a schema to a process. */
export const storeVariable = "SLUICE_CRASH_STORE";

/** Where the state of a worker is. */
export type StorePlace = z.output<typeof schemaPlace> | { readonly stateFolder: string };

/** Opens a store in the calling thread; a store in Postgres uses its own clock, as a worker's does. */
export async function openStoreAt(place: StorePlace, effect: Effect): Promise<StateStore> {
  if ("stateFolder" in place) return await openStoreInline(place.stateFolder, effect);
  const server = { url: new Secret(place.url), schema: place.schema };
  const opened = await openPostgresMethods(server);
  const answer = answerAtOnce(opened.methods, (error) => asStoreError(error, server));
  return answeredHere({ ...opened, answer }, effect);
}

/** The schema that represents the state of a project in this folder. */
export async function schemaPlaceOf(folder: string): Promise<z.output<typeof schemaPlace>> {
  const { url, schema } = await schemaOf(folder);
  return { url: url.reveal(), schema };
}

/** The file in a project's folder that holds the content of its schema: with it a copy of the folder is complete. */
function dumpIn(folder: string): string {
  return join(folder, "store.json");
}

const oneText = z.tuple([z.object({ all: z.string() })]);

/** The statement that reads every table of a schema, and the values of its sequences, as of one moment. */
const readAll = `select string_agg(
    format('select %L as name, to_jsonb(t)::text as held from %I t', relname, relname), ' union all ')
    || ' union all select ''sequences'', jsonb_build_object(''name'', sequencename, ''last'', last_value)::text
      from pg_sequences where schemaname = current_schema and last_value is not null' as all
  from pg_class where relnamespace = current_schema::regnamespace and relkind = 'r'`;

/** Writes everything that the schema of a folder holds at one moment into the folder. */
export async function dumpStore(folder: string): Promise<void> {
  const { url, schema } = await schemaPlaceOf(folder);
  const path = `set search_path to ${schema};`;
  const [{ all }] = oneText.parse(await runSql(url, `${path} ${readAll}`));
  await writeFile(dumpIn(folder), JSON.stringify(await runSql(url, `${path} ${all}`)));
}

/** Puts the output of `dumpStore` into a new schema. */
const writeAll = `do $$ declare one record; begin
  delete from meta;
  for one in select distinct name from dumped where name <> 'sequences' loop
    execute format('insert into %1$I overriding system value
      select (jsonb_populate_record(null::%1$I, held::jsonb)).* from dumped where name = %1$L', one.name);
  end loop;
  perform setval(quote_ident(held::jsonb->>'name')::regclass, (held::jsonb->>'last')::bigint)
    from dumped where name = 'sequences';
end $$`;

/** Loads a folder's copy of a store, if it has one, into the schema that now represents the folder. */
export async function loadStore(folder: string): Promise<void> {
  if (!existsSync(dumpIn(folder))) return;
  const { url, schema } = await schemaPlaceOf(folder);
  const held = escapeLiteral(await readFile(dumpIn(folder), "utf8"));
  await runSql(
    url,
    `set search_path to ${schema};
     create temporary table dumped as select * from jsonb_to_recordset(${held}) as one (name text, held text);
     ${writeAll}`,
  );
}
