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

/** A schema of a server, as another process is told of it. */
export const schemaPlace = z.object({ url: z.string(), schema: z.string() });

/** The variable that tells a process of a schema. */
export const storeVariable = "SLUICE_CRASH_STORE";

/** Where the state of a worker lies. */
export type StorePlace = z.output<typeof schemaPlace> | { readonly stateFolder: string };

/** Opens a store in the calling thread; that in Postgres decides by its own clock, as that of a worker does. */
export async function openStoreAt(place: StorePlace, effect: Effect): Promise<StateStore> {
  if ("stateFolder" in place) return await openStoreInline(place.stateFolder, effect);
  const server = { url: new Secret(place.url), schema: place.schema };
  const opened = await openPostgresMethods(server);
  const answer = answerAtOnce(opened.methods, (error) => asStoreError(error, server));
  return answeredHere({ ...opened, answer }, effect);
}

/** The schema that stands for the state of a project in this folder. */
export async function schemaPlaceOf(folder: string): Promise<z.output<typeof schemaPlace>> {
  const { url, schema } = await schemaOf(folder);
  return { url: url.reveal(), schema };
}

/** The file in a project's folder that holds what its schema does: with it a copy of the folder is whole. */
function dumpIn(folder: string): string {
  return join(folder, "store.json");
}

const oneText = z.tuple([z.object({ all: z.string() })]);

/** The statement that reads every table of a schema, and where its sequences are, as they are at one moment. */
const readAll = `select string_agg(
    format('select %L as name, to_jsonb(t)::text as held from %I t', relname, relname), ' union all ')
    || ' union all select ''sequences'', jsonb_build_object(''name'', sequencename, ''last'', last_value)::text
      from pg_sequences where schemaname = current_schema and last_value is not null' as all
  from pg_class where relnamespace = current_schema::regnamespace and relkind = 'r'`;

/** Writes all that the schema of a folder holds at one moment into the folder. */
export async function dumpStore(folder: string): Promise<void> {
  const { url, schema } = await schemaPlaceOf(folder);
  const path = `set search_path to ${schema};`;
  const [{ all }] = oneText.parse(await runSql(url, `${path} ${readAll}`));
  await writeFile(dumpIn(folder), JSON.stringify(await runSql(url, `${path} ${all}`)));
}

/** Puts into a new schema what `dumpStore` wrote. */
const writeAll = `do $$ declare one record; begin
  delete from meta;
  for one in select distinct name from dumped where name <> 'sequences' loop
    execute format('insert into %1$I overriding system value
      select (jsonb_populate_record(null::%1$I, held::jsonb)).* from dumped where name = %1$L', one.name);
  end loop;
  perform setval(quote_ident(held::jsonb->>'name')::regclass, (held::jsonb->>'last')::bigint)
    from dumped where name = 'sequences';
end $$`;

/** Puts what a folder holds of a store, where it does, into the schema that stands for the folder now. */
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
