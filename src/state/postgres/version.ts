import { sql } from "kysely";

import { movedError, movedToName } from "../moved.ts";
import type { Queries } from "../store/state-database.ts";
import { storeSteps } from "./schema.ts";
import { storeName, type StoreServer } from "./server.ts";
import { versionError } from "./version-error.ts";

/** How long a host may leave a transaction open without a word: its pauses are of milliseconds. */
const silentMsMax = 60_000;

/** The fact that holds the version of the schema. */
export const versionName = "schema_version";

type Usable = {
  readonly version?: string | null | undefined;
  readonly movedTo?: string | null | undefined;
};

function refuseOther({ version: found, movedTo }: Usable, server: StoreServer): void {
  const version = Number(found ?? 0);
  if (version !== storeSteps.length) throw versionError(version, server);
  if (typeof movedTo === "string") throw movedError(storeName(server), movedTo);
}

/**
 * What the store says of itself.
 * @throws {ConfigError} its schema is of another version, or it was moved elsewhere.
 */
export async function knownFacts(
  queries: Queries,
  server: StoreServer,
): Promise<ReadonlyMap<string, string>> {
  const facts = await queries.selectFrom("meta").select(["name", "value"]).execute();
  const known = new Map(facts.map(({ name, value }) => [name, value]));
  refuseOther({ version: known.get(versionName), movedTo: known.get(movedToName) }, server);
  return known;
}

/**
 * What a transaction is set to, whatever the role or the database is: what it commits survives a power cut (I1).
 * Nothing is compiled: that takes longer than a look-up. No statement is too slow or waits too long for another: tried
 * again it would be no faster. The server ends what a host that was stopped or cut off leaves open; else all that wait
 * for its locks would for hours.
 */
const settings = {
  synchronous_commit: "on",
  jit: "off",
  statement_timeout: "0",
  lock_timeout: "0",
  idle_in_transaction_session_timeout: `${silentMsMax}ms`,
};

const set = sql.join(
  Object.entries(settings).map(
    ([setting, value]) => sql`set_config(${sql.lit(setting)}, ${sql.lit(value)}, true)`,
  ),
);

/**
 * Begins a transaction that writes: it is set as `settings` says, and the schema is the one that this sluice knows.
 * @throws {ConfigError} it is another one, or the store was moved elsewhere.
 */
export async function beginWriting(queries: Queries, server: StoreServer): Promise<void> {
  const meta = sql.table("meta");
  const { rows } = await sql<Usable>`
    select ${set}, (select value from ${meta} where name = ${versionName}) as version,
      (select value from ${meta} where name = ${movedToName}) as moved_to`.execute(queries);
  refuseOther(rows[0] ?? {}, server);
}
