import { sql } from "kysely";
import { z } from "zod";

import { refusedAgain } from "../../../records/reject-codes.ts";
import type { Remote } from "../../../thread.ts";
import { jsonColumn } from "../../contract/json-column.ts";
import { type Tally, tallyRow, type TallyStore } from "../../contract/runs/tally.ts";
import { changes, type Changes, noChanges, withChanges } from "../../contract/sends/changes.ts";
import { reads } from "../methods.ts";
import type { Queries, StateDatabase } from "../state-database.ts";

const changesRows = z.array(z.object({ changes: jsonColumn.pipe(changes) }));

/** The sum of the changes that stagings of a run in one of these states noted; undefined if none noted any. */
async function changesOf(
  queries: Queries,
  runId: string,
  states: readonly string[],
): Promise<Changes | undefined> {
  const found = await queries
    .selectFrom("stagings")
    .select("changes")
    .where("runId", "=", runId)
    .where("state", "in", states)
    .where("changes", "is not", null)
    .execute();
  if (found.length === 0) return undefined;
  return changesRows.parse(found).reduce((sum, row) => withChanges(sum, row.changes), noChanges);
}

async function tally(
  queries: Queries,
  { runId, staged }: Parameters<TallyStore["tally"]>[0],
): Promise<Tally> {
  const accepted = ["committed", "cut"];
  const changed = await changesOf(queries, runId, staged ? [...accepted, "staged"] : accepted);
  const states = staged ? sql`('committed', 'cut', 'staged')` : sql`('committed', 'cut')`;
  const rejects = sql`from ${sql.table("rejects")} join counted using (run_id, chunk, stage)`;
  const sent = staged ? sql`counted` : sql`accepted`;
  const { rows } = await sql`
    with counted as (
      select * from ${sql.table("stagings")} where run_id = ${runId} and state in ${states}
    ), accepted as (
      select * from ${sql.table("receipts")} where run_id = ${runId} and state = 'committed'
    )
    select coalesce(sum(rows_read), 0) as read, coalesce(sum(unchanged), 0) as unchanged,
      coalesce(sum(filtered), 0) as filtered, count(*) as chunks,
      coalesce(sum(records - split_rejected), 0) as staged,
      coalesce(sum(rejected + split_rejected), 0) as refused,
      (select coalesce(sum(records), 0) from ${sent}) as sent,
      (select count(*) from accepted) as parts,
      (select coalesce(sum(json_bytes), 0) from ${sent}) as json_bytes,
      (select coalesce(sum(gzip_bytes), 0) from ${sent}) as gzip_bytes,
      (select count(*) ${rejects}) as rejected,
      (select count(*) ${rejects} where code = ${refusedAgain}) as again
    from counted`.execute(queries);
  return { ...tallyRow.parse(rows[0]), changes: changed };
}

/** The tallies of a store. */
export function createTallyStore(db: StateDatabase): Remote<TallyStore> {
  return { tally: reads(db, tally) };
}
