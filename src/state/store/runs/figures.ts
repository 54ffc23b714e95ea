import { sql } from "kysely";

import type { Remote } from "../../../thread.ts";
import {
  chartedRun,
  type ChunkTimes,
  chunkTimes,
  type FigureStore,
  rowFigures,
  type RunFigures,
} from "../../contract/runs/figures.ts";
import { runRow } from "../../contract/runs/runs.ts";
import { textsOf } from "../lists.ts";
import { reads } from "../methods.ts";
import type { Queries, StateDatabase } from "../state-database.ts";

const countsRow = rowFigures.extend(runRow.pick({ runId: true }).shape);

const nothing = { read: 0, sent: 0, unchanged: 0, filtered: 0, rejected: 0 };

async function figuresOf(
  queries: Queries,
  { target, sync, limit }: Parameters<FigureStore["runFigures"]>[0],
): Promise<RunFigures[]> {
  const newest = await queries
    .selectFrom("runs")
    .select(["runId", "kind", "startedAt", "endedAt", "outcome"])
    .where("sync", "=", sync)
    .where("target", "=", target)
    .orderBy("rowid", "desc")
    .limit(limit)
    .execute();
  const runs = newest.map((row) => chartedRun.parse(row));
  const ids = textsOf(
    queries,
    runs.map(({ runId }) => runId),
  );
  const { rows } = await sql`
    select run_id, sum(rows_read) as read, sum(records - split_rejected) as sent, sum(unchanged) as unchanged,
      sum(filtered) as filtered, sum(rejected + split_rejected) as rejected
    from ${sql.table("stagings")} where run_id in ${ids} and state in ('committed', 'cut') group by run_id
    union all
    select run_id, read, written as sent, unchanged, missing as filtered, refused as rejected
    from ${sql.table("pullRuns")} where run_id in ${ids}`.execute(queries);
  const counted = new Map(
    rows.map((row) => {
      const { runId, ...counts } = countsRow.parse(row);
      return [runId, counts];
    }),
  );
  return runs.map((run) => ({ ...run, ...(counted.get(run.runId) ?? nothing) }));
}

/** Attempts of a receipt `r` beyond those that a part needs: a file is uploaded, and then confirmed. */
const retriesOf = sql<number>`case when r.form = 'file' and r.attempts > 2 then r.attempts - 2
  when r.form <> 'file' and r.attempts > 1 then r.attempts - 1 else 0 end`;

async function timesOf(
  queries: Queries,
  { runId, limit }: Parameters<FigureStore["chunkTimes"]>[0],
): Promise<ChunkTimes[]> {
  const { rows } = await sql`
    select s.chunk, s.state, s.stage as stages, s.drawn_scheduled as begun_at, s.committed_at,
      s.rows_read as read, s.records - s.split_rejected as records, s.rejected + s.split_rejected as rejected,
      min(r.left_at) as left_at, max(r.uploaded_at) as uploaded_at, max(r.accepted_at) as accepted_at,
      count(r.part) as parts, coalesce(sum(${retriesOf}), 0) as retries
    from ${sql.table("stagings")} s
    left join ${sql.table("receipts")} r on r.run_id = s.run_id and r.chunk = s.chunk and r.stage = s.stage
    where s.run_id = ${runId} and not exists (
      select 1 from ${sql.table("stagings")} n where n.run_id = s.run_id and n.chunk = s.chunk and n.stage > s.stage)
    group by s.send, s.chunk, s.state, s.stage, s.drawn_scheduled, s.committed_at, s.rows_read, s.records,
      s.split_rejected, s.rejected
    order by s.chunk desc limit ${limit}`.execute(queries);
  return rows.map((row) => chunkTimes.parse(row)).toReversed();
}

/** The figures of a store. */
export function createFigureStore(db: StateDatabase): Remote<FigureStore> {
  return { runFigures: reads(db, figuresOf), chunkTimes: reads(db, timesOf) };
}
