import { type RawBuilder, sql } from "kysely";

import { sqlStateOf } from "../../postgres/errors.ts";
import { quoteName } from "../../postgres/names.ts";
import type { Queries } from "../store/state-database.ts";
import type { StoreServer } from "./server.ts";

// A standby that took over, and a backup that was restored to a point in time, begin another timeline of the log. What
// was committed last may be lost then, and what was sent since may have changed what the service holds.

/** The fact that holds the timeline on which the store was written last. */
export const timelineName = "timeline";

/** The timeline, with which the name of a file of the log begins. */
export const timelineNow: RawBuilder<string> = sql`left(pg_walfile_name(pg_current_wal_lsn()), 8)`;

/** Whether the server tells its timeline: some that only speak as Postgres have none. */
export async function tellsTimeline(queries: Queries): Promise<boolean> {
  try {
    await sql`select ${timelineNow}`.execute(queries);
    return true;
  } catch (error) {
    // 42: syntax or access; 0A: not supported here; 55: not in this state, as when a standby is asked.
    if (/^(?:42|0A|55)/.test(sqlStateOf(error) ?? "")) return false;
    throw error;
  }
}

/** The sequence that numbers stagings, as a literal; undefined where this role may not read and set it. */
async function sendSequence(queries: Queries, server: StoreServer): Promise<string | undefined> {
  const table = `${quoteName(server.schema)}.stagings`;
  const { rows } = await sql<{ sequence: string; may: boolean }>`
    select sequence, has_sequence_privilege(sequence, 'select') and has_sequence_privilege(sequence, 'update') as may
    from pg_get_serial_sequence(${table}, 'send') as sequence`.execute(queries);
  const [found] = rows;
  return found?.may === true ? found.sequence : undefined;
}

/** The number of the last staging that was drawn, also of one that is gone; undefined where nobody may know. */
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
 * Forgets what a store that was restored knows as sent, because unknown is always sent, and has each sync tell so. A
 * page that waits to be written is asked for again: what was pulled since may be newer.
 * Numbers up to `send`, the last one that anybody remembers, are not given again, where the role may see to that.
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
