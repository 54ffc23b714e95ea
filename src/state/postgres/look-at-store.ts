import { sql } from "kysely";

import { quoteName } from "../../postgres/names.ts";
import { openPostgresDatabase } from "./database.ts";
import { tableNames } from "./schema.ts";
import type { StoreServer } from "./server.ts";
import { asStoreError } from "./store-error.ts";
import { knownFacts, versionName } from "./version.ts";

/** What a person may want to know about a store in Postgres. */
export type StoreLook = {
  readonly storeId: string;
  /** The version of its schema. */
  readonly version: number;
  /** The size of its tables and indexes. */
  readonly bytes: number;
  /** How far the database's clock is ahead of this host's, to within half a round trip. */
  readonly clockAheadMs: number;
  /** Whether there are standbys for which no commit waits, so that a fail-over loses the last commits. */
  readonly losesOnFailOver: boolean;
};

/** Counts standbys: neither readers of changes nor base backups. A role without special rights is shown no state. */
const standbyCount = sql`(select count(*) from pg_stat_replication where state is distinct from 'backup'
          and pid not in (select active_pid from pg_replication_slots
            where slot_type = 'logical' and active_pid is not null))`;

/**
 * Looks at the store in Postgres.
 * @throws {ConfigError} it cannot be used, and why. @throws {StateUnavailableError} it cannot be reached.
 */
export async function lookAtStore(server: StoreServer): Promise<StoreLook> {
  const database = openPostgresDatabase(server, { connectionsMax: 1 });
  const { queries } = database.state;
  try {
    const facts = await knownFacts(queries, server);
    const before = Date.now();
    const { rows } = await sql<{ now: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::double precision as now`.execute(
      queries,
    );
    const middle = (before + Date.now()) / 2;
    // In a transaction: a pooler that allows none would let everything be read, and nothing be written.
    const about = await queries.transaction().execute(
      async (transaction) =>
        await sql<{ bytes: number; standbys: number; isAwaited: boolean }>`
      select coalesce((select sum(pg_total_relation_size(c.oid)) from pg_class c
          where c.relnamespace = to_regnamespace(${quoteName(server.schema)})
            and c.relname in (${sql.join([...tableNames])})), 0)::bigint as bytes,
        ${standbyCount} as standbys,
        current_setting('synchronous_standby_names') <> '' as is_awaited`.execute(transaction),
    );
    const { bytes = 0, standbys = 0, isAwaited = false } = about.rows[0] ?? {};
    return {
      storeId: String(facts.get("store_id")),
      version: Number(facts.get(versionName)),
      bytes,
      clockAheadMs: Math.round((rows[0]?.now ?? middle) - middle),
      losesOnFailOver: standbys > 0 && !isAwaited,
    };
  } catch (error) {
    throw asStoreError(error, server);
  } finally {
    await database.close();
  }
}
