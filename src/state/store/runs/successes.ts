import type { Expression, ExpressionBuilder, SqlBool } from "kysely";

import type { Remote } from "../../../thread.ts";
import type { Outcome, RunKind } from "../../contract/runs/runs.ts";
import type { SuccessStore } from "../../contract/runs/successes.ts";
import { jsonMember } from "../dialect.ts";
import { reads } from "../methods.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import type { Tables } from "../tables.ts";

/** Outcomes of runs that count as a success. */
const succeeded: readonly Outcome[] = ["done", "done_with_rejects"];
/** Kinds of runs that count as a success: they move all there is. */
const successKinds: readonly RunKind[] = ["sync", "inbox", "pull"];

/** Whether a run is a success. */
export function isSuccess(
  queries: Queries,
  run: ExpressionBuilder<Tables, "runs">,
): Expression<SqlBool> {
  const roundEnded = run
    .selectFrom("pullRuns")
    .select("roundsDone")
    .whereRef("pullRuns.runId", "=", "runs.runId")
    .where("roundsDone", ">", 0);
  return run.and([
    run("kind", "in", successKinds),
    run("outcome", "in", succeeded),
    run(jsonMember(queries, "request", "limit"), "is", null),
    // A pull that calls_max stopped has left something for the next run.
    run.or([run("kind", "!=", "pull"), run.exists(roundEnded)]),
  ]);
}

async function lastSuccess(
  queries: Queries,
  { target, sync }: { readonly target: string; readonly sync: string },
): Promise<string | null> {
  // The index of the newest runs of a sync is read from its end, up to the first match: the one opened last, whatever
  // the clock said.
  const found = await queries
    .selectFrom("runs")
    .select("endedAt")
    .where("sync", "=", sync)
    .where("target", "=", target)
    .where((run) => isSuccess(queries, run))
    .orderBy("rowid", "desc")
    .limit(1)
    .executeTakeFirst();
  return found?.endedAt ?? null;
}

async function lastSuccesses(
  queries: Queries,
  { target, syncs }: Parameters<SuccessStore["lastSuccesses"]>[0],
): Promise<ReturnType<SuccessStore["lastSuccesses"]>> {
  const found: { sync: string; endedAt: string }[] = [];
  for (const sync of syncs) {
    const endedAt = await lastSuccess(queries, { target, sync });
    if (endedAt !== null) found.push({ sync, endedAt });
  }
  return found;
}

async function checkpointTimes(
  queries: Queries,
  { target }: Parameters<SuccessStore["checkpointTimes"]>[0],
): Promise<ReturnType<SuccessStore["checkpointTimes"]>> {
  return await queries
    .selectFrom("checkpoints")
    .select(["sync", "updatedAt"])
    .where("target", "=", target)
    .execute();
}

/** When syncs last succeeded, and when their checkpoints last moved. */
export function createSuccessStore(db: StateDatabase): Remote<SuccessStore> {
  return {
    lastSuccesses: reads(db, lastSuccesses),
    checkpointTimes: reads(db, checkpointTimes),
  };
}
