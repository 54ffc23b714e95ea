import { sql } from "kysely";

import { dropDoubts } from "../doubts/doubts.ts";
import { reopenSuperseded } from "../rejects/replays.ts";
import type { Queries } from "../state-database.ts";

/** Chunks of a run. */
type Chunks = {
  readonly runId: string;
  /** @default the first */
  readonly from?: number;
  /** @default the last there is */
  readonly last?: number;
};

/**
 * Abandons a run's uncommitted stagings of some chunks and counts what was under way; to be called inside a
 * transaction.
 */
export async function dropStagings(
  queries: Queries,
  { runId, from = 0, last = Number.MAX_SAFE_INTEGER }: Chunks,
): Promise<void> {
  const stagings = queries
    .selectFrom("stagings")
    .select("send")
    .where("runId", "=", runId)
    .where("chunk", ">=", from)
    .where("chunk", "<=", last);
  const open = await stagings.where("state", "in", openStates).execute();
  await countUnderWay(queries, { runId, from, last });
  for (const { send } of open) {
    await dropDoubts(queries, send);
    await queries
      .updateTable("stagings")
      .set({ state: "dropped" })
      .where("send", "=", send)
      .execute();
  }
  if (open.length > 0) await reopenSuperseded(queries, runId);
  // A part that left may still be applied: its keys are needed until it no longer can.
  await queries
    .deleteFrom("sentKeys")
    .where("send", "in", stagings.where("state", "=", "dropped"))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("requests as q")
            .select("q.request")
            .whereRef("q.send", "=", "sentKeys.send"),
        ),
      ),
    )
    .execute();
}

/** States of a staging that may still be committed. */
const openStates = ["staging", "staged"] as const;

/**
 * Counts records under way as possibly repeated: not those of parts that were not applied, which are `staged`, `split`
 * or `refused`, or files that are not being confirmed.
 */
async function countUnderWay(
  queries: Queries,
  { runId, from, last }: Required<Chunks>,
): Promise<void> {
  await sql`
    update ${sql.table("runs")} set possibly_repeated = possibly_repeated + coalesce((
      select sum(r.records) from ${sql.table("receipts")} r
        join ${sql.table("stagings")} s on s.run_id = r.run_id and s.chunk = r.chunk and s.stage = r.stage
      where s.run_id = ${runId} and s.chunk >= ${from} and s.chunk <= ${last} and s.state in ('staging', 'staged')
        and (r.state in ('confirming', 'accepted') or (r.state = 'sending' and r.form = 'body'))), 0)
    where run_id = ${runId}`.execute(queries);
}
