import { sql } from "kysely";

import type { Queries } from "../store/state-database.ts";
import { storeSteps } from "./schema.ts";
import type { StoreServer } from "./server.ts";
import { versionError } from "./version-error.ts";

/** The fact that holds the version of the schema. */
export const versionName = "schema_version";

function refuseOtherVersion(version: number, server: StoreServer): void {
  if (version !== storeSteps.length) throw versionError(version, server);
}

/**
 * What the store says of itself.
 * @throws {ConfigError} its schema is of another version.
 */
export async function knownFacts(
  queries: Queries,
  server: StoreServer,
): Promise<ReadonlyMap<string, string>> {
  const facts = await queries.selectFrom("meta").select(["name", "value"]).execute();
  const known = new Map(facts.map(({ name, value }) => [name, value]));
  refuseOtherVersion(Number(known.get(versionName) ?? 0), server);
  return known;
}

/**
 * Begins a transaction that writes: what it commits survives a power cut (I1), whatever the role or the database is set
 * to, and the schema is the one that this sluice knows. Nothing is compiled: that takes longer than a look-up.
 * @throws {ConfigError} it is another one.
 */
export async function beginWriting(queries: Queries, server: StoreServer): Promise<void> {
  const { rows } = await sql<{ version: string | null }>`
    select set_config('synchronous_commit', 'on', true), set_config('jit', 'off', true),
      (select value from ${sql.table("meta")} where name = ${versionName}) as version`.execute(
    queries,
  );
  refuseOtherVersion(Number(rows[0]?.version ?? 0), server);
}
