import { sql } from "kysely";

import type { Remote } from "../../../thread.ts";
import {
  type StageCounts,
  stageCounts,
  type Staging,
  stagingRow,
} from "../../contract/sends/stagings.ts";
import type { UnderWayStore } from "../../contract/sends/under-way.ts";
import { toJson } from "../json.ts";
import { reads, writes } from "../methods.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import { isOfStage } from "./named.ts";
import { stagingColumns } from "./staging-columns.ts";

async function noteStage(
  queries: Queries,
  { counts, to, ...name }: Parameters<UnderWayStore["noteStage"]>[0],
): Promise<void> {
  const { read: rowsRead, records, unchanged, filtered, rejected } = counts;
  await queries
    .updateTable("stagings")
    .set({ toPosition: toJson(to), rowsRead, records, unchanged, filtered, rejected })
    .where(isOfStage(name))
    .where("state", "=", "staging")
    .execute();
}

async function openStagings(
  queries: Queries,
  { runId }: Parameters<UnderWayStore["openStagings"]>[0],
): Promise<Staging[]> {
  const found = await queries
    .selectFrom("stagings")
    .select(stagingColumns)
    .where("runId", "=", runId)
    .where("state", "in", ["staging", "staged"])
    .orderBy("send")
    .execute();
  return found.map((row) => stagingRow.parse(row));
}

async function givenUp(
  queries: Queries,
  { runId }: Parameters<UnderWayStore["givenUp"]>[0],
): Promise<StageCounts> {
  const stagings = sql.table("stagings");
  const { rows } = await sql`
    select coalesce(sum(rows_read), 0) as read, coalesce(sum(records - split_rejected), 0) as records,
      coalesce(sum(unchanged), 0) as unchanged, coalesce(sum(filtered), 0) as filtered,
      coalesce(sum(rejected + split_rejected), 0) as rejected
    from ${stagings} s where run_id = ${runId} and state = 'dropped' and not exists (
      select 1 from ${stagings} n where n.run_id = s.run_id and n.chunk = s.chunk and n.stage > s.stage)
  `.execute(queries);
  return stageCounts.parse(rows[0]);
}

/** What is under way in a store. */
export function createUnderWayStore(db: StateDatabase): Remote<UnderWayStore> {
  return {
    noteStage: writes(db, noteStage),
    openStagings: reads(db, openStagings),
    givenUp: reads(db, givenUp),
  };
}
