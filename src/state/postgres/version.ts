import { sql } from "kysely";

import { ConfigError } from "../../errors.ts";
import { quoteName } from "../../postgres/names.ts";
import { beatsKeepSchemaMs } from "../limits.ts";
import { movedError, movedToName } from "../moved.ts";
import type { Queries } from "../store/state-database.ts";
import { storeSteps, tableNames } from "./schema.ts";
import { grantsFor, storeName, type StoreServer } from "./server.ts";
import { otherStoreError, versionError } from "./store-error.ts";
import { timelineName, timelineNow } from "./timeline.ts";

/** The fact that holds the version of the schema. */
export const versionName = "schema_version";

/** The fact that names the project that owns the store, as its configuration does. */
export const projectName = "project";

/** The fact that names the store. */
const storeIdName = "store_id";

/** The timelines that a writing transaction finds: of the server now, and as the store knows it. */
export type FoundTimeline = { readonly now: string | null; readonly known: string | null };

/** A fact that distinguishes a store from others: its own id, or the id of its inbox, which a copy keeps. */
export type StoreIdentity = { readonly name: "inbox_id" | "store_id"; readonly value: string };

type Usable = {
  readonly version?: string | null | undefined;
  readonly movedTo?: string | null | undefined;
};

function refuseOther(
  { version: found, movedTo, isOpen = false }: Usable & { readonly isOpen?: boolean },
  server: StoreServer,
): void {
  const version = Number(found ?? 0);
  // A worker from before a migration ends with its next beat; work that it took meanwhile is left to newer workers.
  const othersTryMs = isOpen ? beatsKeepSchemaMs : undefined;
  if (version !== storeSteps.length) throw versionError(version, server, othersTryMs);
  if (typeof movedTo === "string") throw movedError(storeName(server), movedTo);
}

/**
 * The facts that the store keeps about itself.
 * @throws {ConfigError} its schema is of another version, it was moved elsewhere, or nothing can be written.
 */
export async function knownFacts(
  queries: Queries,
  server: StoreServer,
): Promise<ReadonlyMap<string, string>> {
  const facts = await queries.selectFrom("meta").select(["name", "value"]).execute();
  const known = new Map(facts.map(({ name, value }) => [name, value]));
  refuseOther({ version: known.get(versionName), movedTo: known.get(movedToName) }, server);
  await refuseUnfit(queries, server);
  refuseOtherProject(known.get(projectName) ?? (await noteProject(queries, server)), server);
  return known;
}

/** Gives the store to the first project that opens it; returns the owner. */
async function noteProject(
  queries: Queries,
  { project }: StoreServer,
): Promise<string | undefined> {
  if (project === undefined) return undefined;
  const { value } = await queries
    .insertInto("meta")
    .values({ name: projectName, value: project })
    // If two come at once, both get the owner.
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ name: projectName }))
    .returning("value")
    .executeTakeFirstOrThrow();
  return value;
}

/** @throws {StateUnavailableError} the store is not the one that this process opened. */
function refuseOtherStore(
  found: string | null | undefined,
  opened: StoreIdentity | undefined,
  server: StoreServer,
): void {
  if (opened !== undefined && found !== opened.value) throw otherStoreError(server);
}

/** @throws {ConfigError} the store belongs to another project than the one that opens it. */
export function refuseOtherProject(known: string | undefined, server: StoreServer): void {
  const { project } = server;
  if (known === undefined || project === undefined || known === project) return;
  throw new ConfigError(
    `${storeName(server)} is that of project ${known}, and this is project ${project}`,
    {
      field: "store.project",
      hint:
        "give this project a `schema` of its own in `store`, and run `sluice store migrate`; or, where it is the " +
        `same project under a new name, \`sluice store rename --from ${known}\``,
    },
  );
}

/** @throws {ConfigError} the server takes no writes, or this role may not make them. */
async function refuseUnfit(queries: Queries, server: StoreServer): Promise<void> {
  const name = quoteName(server.schema);
  const lacks = sql.join(
    ["select", "insert", "update", "delete"].map(
      (right) => sql`not has_table_privilege(c.oid, ${sql.lit(right)})`,
    ),
    sql` or `,
  );
  const { rows } = await sql<{ isStandby: boolean; isReadOnly: boolean; forbidden: string | null }>`
    select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only,
      (select min(c.relname::text) from pg_class c
        where c.relnamespace = to_regnamespace(${name}) and c.relkind = 'r'
          and c.relname = any(${[...tableNames]}::text[]) and (${lacks})) as forbidden`.execute(
    queries,
  );
  const { isStandby = false, isReadOnly = false, forbidden = null } = rows[0] ?? {};
  if (isStandby || isReadOnly) {
    const what = isStandby
      ? "is a standby"
      : "is set to be read-only, for this role or its database";
    throw new ConfigError(`${storeName(server)} ${what}: it takes no writes`, {
      field: "store.url",
      hint: "name the server, and a role, that may write: a standby takes over once it is promoted",
    });
  }
  if (forbidden === null) return;
  throw new ConfigError(`${storeName(server)}: this role may not read and write ${forbidden}`, {
    field: "store",
    hint: grantsFor(server),
  });
}

/**
 * The settings of a transaction, whatever those of the role or the database are. Commits survive a power cut (I1).
 * Nothing is compiled: that takes longer than a look-up. `LockingDriver` has set what concerns locks before.
 */
const settings = {
  synchronous_commit: "on",
  jit: "off",
  // A null in a list, such as the id of an event that has none, must not become the text "NULL".
  array_nulls: "on",
  transaction_timeout: "0",
};

const set = sql.join(
  Object.entries(settings).map(([setting, value]) => {
    const name = sql.lit(setting);
    // A setting that the server is too old to know is left alone.
    return sql`case when current_setting(${name}, true) is not null
      then set_config(${name}, ${sql.lit(value)}, true) end`;
  }),
);

/** Lets a transaction with its own settings take as long as it needs; a server before 17 has nothing to set. */
export const noTransactionTimeout: string =
  "select set_config('transaction_timeout', '0', true) where current_setting('transaction_timeout', true) is not null";

/**
 * Begins a transaction that writes: applies `settings`, and checks that the schema is the one that this sluice knows.
 * @throws {ConfigError} it is another one, or the store was moved elsewhere.
 * @throws {StateUnavailableError} the store is not the one that was `opened`.
 */
export async function beginWriting(
  queries: Queries,
  server: StoreServer,
  {
    asksTimeline,
    opened,
  }: { readonly asksTimeline: boolean; readonly opened: StoreIdentity | undefined },
): Promise<FoundTimeline> {
  const meta = sql.table("meta");
  const { rows } = await sql<Usable & FoundTimeline & { readonly identity: string | null }>`
    select ${set}, (select value from ${meta} where name = ${versionName}) as version,
      (select value from ${meta} where name = ${movedToName}) as moved_to,
      (select value from ${meta} where name = ${timelineName}) as known,
      (select value from ${meta} where name = ${opened?.name ?? storeIdName}) as identity,
      ${asksTimeline ? timelineNow : sql`null`} as now`.execute(queries);
  refuseOther({ ...rows[0], isOpen: opened !== undefined }, server);
  refuseOtherStore(rows[0]?.identity, opened, server);
  return { now: rows[0]?.now ?? null, known: rows[0]?.known ?? null };
}
