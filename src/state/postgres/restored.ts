import { sql } from "kysely";

import type { Queries } from "../store/state-database.ts";
import type { PostgresDatabase } from "./database.ts";

/** Sends that are drawn at once, where many numbers are not to be given again. */
const drawnAtOnce = 1_000;

/** Draws numbers of sends up to one, and leaves nothing of them: a role that only works has no right to a sequence. */
async function drawUpTo(queries: Queries, send: number): Promise<void> {
  const stagings = sql.table("stagings");
  for (let last = 0; last < send;) {
    const { rows } = await sql<{ last: number }>`
      with drawn as (
        insert into ${stagings} (run_id, chunk, stage, host, drawn_scheduled, drawn_attempt, state)
        select '', 0, n, '', 0, 0, 'dropped' from generate_series(1, ${drawnAtOnce}::integer) n returning send)
      select max(send) as last from drawn`.execute(queries);
    last = rows[0]?.last ?? send;
    await sql`delete from ${stagings} where run_id = ''`.execute(queries);
  }
}

/**
 * Has every fingerprint unknown where the store has no send as late as this host remembers: it was restored from a
 * backup, and what was sent after that may have changed what the service holds.
 */
export async function forgetWhereRestored(
  { state }: PostgresDatabase,
  remembered: number,
): Promise<void> {
  if (remembered === 0 || !(await isRestored(state.queries, remembered))) return;
  await state.write(async (queries) => {
    if (!(await isRestored(queries, remembered))) return;
    await drawUpTo(queries, remembered);
    await queries
      .updateTable("fingerprintSets")
      .set({ validAfter: remembered, isRestored: 1 })
      .where("validAfter", "<", remembered)
      .execute();
  });
}

/** Whether sends up to this one are not there, and something is held to be known all the same. */
async function isRestored(queries: Queries, remembered: number): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ${sql.table("fingerprintSets")} where valid_after < ${remembered}
      and not exists (select 1 from ${sql.table("stagings")} where send >= ${remembered}) limit 1`.execute(
    queries,
  );
  return rows.length > 0;
}
