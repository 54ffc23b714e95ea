import { CheckpointMovedError } from "../../../errors.ts";
import type { Remote } from "../../../thread.ts";
import {
  type Run,
  type RunFacts,
  type RunOpening,
  type RunPlace,
  runRow,
  type RunStore,
} from "../../contract/runs/runs.ts";
import { toJson } from "../json.ts";
import { keepOpened } from "../keys/adoptions.ts";
import { reads, writes } from "../methods.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import { checkpointVersionOf } from "./checkpoints.ts";
import { createPruning } from "./prune-runs.ts";
import { addWarnings } from "./warnings.ts";

async function runOf(queries: Queries, runId: string): Promise<Run | undefined> {
  const found = await queries
    .selectFrom("runs")
    .selectAll()
    .where("runId", "=", runId)
    .executeTakeFirst();
  return found === undefined ? undefined : runRow.parse(found);
}

async function knownRun(queries: Queries, runId: string): Promise<Run> {
  const found = await runOf(queries, runId);
  if (found === undefined) throw new Error(`run ${runId} is not in the store`);
  return found;
}

/** @throws {CheckpointMovedError} see `RunStore.setRunRange`. */
async function setRange(
  queries: Queries,
  { runId, checkpointVersion, from, to, oldestOpen, future = 0, gone = 0, ...by }: RunPlace,
): Promise<Run> {
  const { configHash, placesAreLines } = by;
  const { numUpdatedRows } = await queries
    .updateTable("runs")
    .set({
      // A value that is not given stays.
      configHash,
      placesAreLines: placesAreLines === undefined ? undefined : Number(placesAreLines),
      fromPosition: toJson(from),
      toPosition: toJson(to),
      oldestOpen: toJson(oldestOpen),
      future,
      gone,
      checkpointBefore: checkpointVersion,
      checkpointVersion,
    })
    .where("runId", "=", runId)
    .where((eb) =>
      eb.not(
        eb.exists(eb.selectFrom("stagings").select("send").where("stagings.runId", "=", runId)),
      ),
    )
    .executeTakeFirst();
  const run = await knownRun(queries, runId);
  const isMoving = run.kind === "sync" || run.kind === "inbox";
  const ours = numUpdatedRows === 1n || !isMoving ? checkpointVersion : run.checkpointVersion;
  if ((await checkpointVersionOf(queries, runId)) !== ours) {
    throw new CheckpointMovedError(
      `run ${runId}: the checkpoint moved since the run was opened: it would send again what a later run may ` +
        "have replaced",
      { hint: "run the sync again: it continues from the checkpoint" },
    );
  }
  return run;
}

async function listRuns(
  queries: Queries,
  { sync, workflowId, kinds, isOpen, outcomes, limit }: Parameters<RunStore["runs"]>[0],
): Promise<Run[]> {
  let runs = queries.selectFrom("runs").selectAll();
  if (sync !== undefined) runs = runs.where("sync", "=", sync);
  if (workflowId !== undefined) runs = runs.where("workflowId", "=", workflowId);
  if (kinds !== undefined) runs = runs.where("kind", "in", kinds);
  if (outcomes !== undefined) runs = runs.where("outcome", "in", outcomes);
  if (isOpen === true) runs = runs.where("endedAt", "is", null);
  const found = await runs.orderBy("rowid", "desc").limit(limit).execute();
  return found.map((row) => runRow.parse(row));
}

async function openRun(
  queries: Queries,
  { nominalAt, placesAreLines = false, request, mapping, ...opening }: RunOpening,
): Promise<Run> {
  const { runId, sync, target, kind, startedAt } = opening;
  const { workflowId, firstRunId, temporalId, configHash } = opening;
  const workflow = { workflowId, firstRunId, temporalId };
  await queries
    .insertInto("runs")
    .values({
      ...workflow,
      runId,
      sync,
      target,
      kind,
      configHash,
      startedAt,
      nominalAt: nominalAt ?? null,
      placesAreLines: Number(placesAreLines),
      request: JSON.stringify(request),
      checkpointBefore: 0,
      checkpointVersion: 0,
    })
    .onConflict((conflict) => conflict.column("runId").doNothing())
    .execute();
  if (mapping !== undefined) await keepOpened(queries, { target, sync, ...mapping });
  return await knownRun(queries, runId);
}

async function setMode(
  queries: Queries,
  { runId, mode, reason: modeReason }: Parameters<RunStore["setMode"]>[0],
): Promise<void> {
  await queries.updateTable("runs").set({ mode, modeReason }).where("runId", "=", runId).execute();
}

async function setHold(
  queries: Queries,
  { runId, hold }: Parameters<RunStore["setHold"]>[0],
): Promise<void> {
  const stored = JSON.stringify(hold);
  await queries.updateTable("runs").set({ hold: stored }).where("runId", "=", runId).execute();
}

async function addRunFacts(
  queries: Queries,
  { runId, requests = 0, retries = 0, waitedMs = 0 }: RunFacts,
): Promise<void> {
  await queries
    .updateTable("runs")
    .set((run) => ({
      requests: run("requests", "+", requests),
      retries: run("retries", "+", retries),
      waitedMs: run("waitedMs", "+", Math.round(waitedMs)),
    }))
    .where("runId", "=", runId)
    .execute();
}

async function endRun(
  queries: Queries,
  { runId, outcome, endedAt, failure }: Parameters<RunStore["endRun"]>[0],
): Promise<Run> {
  await queries
    .updateTable("runs")
    .set({ outcome, failure: toJson(failure), endedAt })
    .where("runId", "=", runId)
    .where("endedAt", "is", null)
    .execute();
  return await knownRun(queries, runId);
}

/** The runs of a store. */
export function createRunStore(db: StateDatabase): Remote<RunStore> {
  return {
    run: reads(db, runOf),
    runs: reads(db, listRuns),
    openRun: writes(db, openRun),
    setRunRange: writes(db, setRange),
    setMode: writes(db, setMode),
    setHold: writes(db, setHold),
    addRunFacts: writes(db, addRunFacts),
    addWarnings: writes(db, addWarnings),
    endRun: writes(db, endRun),
    pruneRuns: createPruning(db),
  };
}
