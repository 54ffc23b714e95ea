import { z } from "zod";

import type { Remote } from "../../../thread.ts";
import { jsonColumn } from "../../contract/json-column.ts";
import {
  type BackfillStore,
  type LaneSpan,
  planRow,
  type StoredPlan,
} from "../../contract/runs/backfills.ts";
import { toJson } from "../json.ts";
import { reads, writes } from "../methods.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import { checkpointVersionOf } from "./checkpoints.ts";

const spanRow = z.object({ from: jsonColumn, to: jsonColumn });

async function putPlan(
  queries: Queries,
  { runId, plan, samples, spans, placesAreLines = false }: Parameters<BackfillStore["putPlan"]>[0],
): Promise<void> {
  const staged = await queries
    .selectFrom("stagings")
    .select("send")
    .where("runId", "=", runId)
    .limit(1)
    .executeTakeFirst();
  if (staged !== undefined) return;
  const row = { plan: JSON.stringify(plan), samples: JSON.stringify(samples) };
  await queries
    .insertInto("plans")
    .values({ runId, ...row })
    .onConflict((conflict) => conflict.column("runId").doUpdateSet(row))
    .execute();
  const version = await checkpointVersionOf(queries, runId);
  await queries
    .updateTable("runs")
    .set({
      configHash: plan.config_hash,
      placesAreLines: Number(placesAreLines),
      checkpointBefore: version,
      checkpointVersion: version,
    })
    .where("runId", "=", runId)
    .execute();
  await queries.deleteFrom("lanes").where("runId", "=", runId).execute();
  await putLanes(queries, runId, spans);
}

async function putLanes(
  queries: Queries,
  runId: string,
  spans: readonly LaneSpan[],
): Promise<void> {
  if (spans.length === 0) return;
  const lanes = spans.map(({ from, to }, index) => ({
    runId,
    lane: index + 1,
    fromPosition: toJson(from),
    toPosition: toJson(to),
  }));
  await queries.insertInto("lanes").values(lanes).execute();
}

async function planOf(queries: Queries, runId: string): Promise<StoredPlan | undefined> {
  const found = await queries
    .selectFrom("plans")
    .select(["plan", "samples"])
    .where("runId", "=", runId)
    .executeTakeFirst();
  return found === undefined ? undefined : planRow.parse(found);
}

async function laneSpans(queries: Queries, runId: string): Promise<LaneSpan[]> {
  const found = await queries
    .selectFrom("lanes")
    .select(["fromPosition as from", "toPosition as to"])
    .where("runId", "=", runId)
    .orderBy("lane")
    .execute();
  return found.map((row) => spanRow.parse(row));
}

/** The backfills of a store. */
export function createBackfillStore(db: StateDatabase): Remote<BackfillStore> {
  return {
    putPlan: writes(db, putPlan),
    plan: reads(db, planOf),
    laneSpans: reads(db, laneSpans),
  };
}
