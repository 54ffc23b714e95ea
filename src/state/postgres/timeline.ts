import { type RawBuilder, sql } from "kysely";

import { sqlStateOf } from "../../postgres/errors.ts";
import { quoteName } from "../../postgres/names.ts";
import type { Queries } from "../store/state-database.ts";
import type { StoreServer } from "./server.ts";

// A standby that takes over, or a backup that is restored to a point in time, begins another timeline of the log. The
// last commits may then be lost, and what was sent since may have changed what the service holds.

/** The fact that holds the timeline on which the store was last written. */
export const timelineName = "timeline";

/** The timeline, in SQL: the name of a log file begins with it. */
export const timelineNow: RawBuilder<string> = sql`left(pg_walfile_name(pg_current_wal_lsn()), 8)`;

/**
 * Whether the server reports its timeline: servers that only speak Postgres's protocol have none.
 * @throws {Error} a standby does once it has taken over, and takes no writes before.
 */
export async function tellsTimeline(queries: Queries): Promise<boolean> {
  try {
    await sql`select ${timelineNow}`.execute(queries);
    return true;
  } catch (error) {
    const state = sqlStateOf(error) ?? "";
    // 42: syntax or access; 0A: not supported here; 55: not in this state.
    if (!/^(?:42|0A|55)/.test(state)) throw error;
    if (state.startsWith("55") && (await isStandby(queries))) throw error;
    return false;
  }
}

async function isStandby(queries: Queries): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`select pg_is_in_recovery() as is`.execute(queries);
  return rows[0]?.is === true;
}

/** The sequence that numbers stagings, as a literal; undefined if this role may not read and set it. */
async function sendSequence(queries: Queries, server: StoreServer): Promise<string | undefined> {
  const table = `${quoteName(server.schema)}.stagings`;
  const { rows } = await sql<{ sequence: string; may: boolean }>`
    select sequence, has_sequence_privilege(sequence, 'select') and has_sequence_privilege(sequence, 'update') as may
    from pg_get_serial_sequence(${table}, 'send') as sequence`.execute(queries);
  const [found] = rows;
  return found?.may === true ? found.sequence : undefined;
}

/** The number of the last staging that was drawn, even if it is gone; undefined if this role may not read it. */
export async function lastSendOf(
  queries: Queries,
  server: StoreServer,
): Promise<number | undefined> {
  const sequence = await sendSequence(queries, server);
  if (sequence === undefined) return undefined;
  const { rows } = await sql<{ last: number }>`
    select case when is_called then last_value else 0 end as last from ${sql.raw(sequence)}`.execute(
    queries,
  );
  return rows[0]?.last;
}

/**
 * Forgets what a restored store knows as sent, because unknown is always sent, and marks each sync so that it says so.
 * A page that waits to be written is asked for again: what was pulled since may be newer.
 * Numbers up to `send`, the last one that anybody remembers, are not assigned again, if the role may ensure that.
 */
export async function noteRestored(queries: Queries, server: StoreServer, send = 0): Promise<void> {
  const sequence = await sendSequence(queries, server);
  const drawn = (await lastSendOf(queries, server)) ?? 0;
  const stagings = sql.table("stagings");
  await sql`
    update ${sql.table("fingerprintSets")} set is_restored = 1, valid_after = greatest(valid_after, ${send}::bigint,
      ${drawn}::bigint, (select coalesce(max(send), 0) from ${stagings}))`.execute(queries);
  const [pulls, pages] = [sql.table("pulls"), sql.table("pullPages")];
  await sql`update ${pulls} set is_asking = 1 where (target, pull) in (select target, pull from ${pages})`.execute(
    queries,
  );
  await sql`delete from ${pages}`.execute(queries);
  if (sequence !== undefined && send > drawn)
    await sql`select setval(${sequence}::regclass, ${send}::bigint)`.execute(queries);
}
