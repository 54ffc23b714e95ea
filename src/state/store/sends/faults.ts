import { steadyMs } from "../../../clock.ts";
import type { Remote } from "../../../thread.ts";
import type { FaultName, FaultStore } from "../../contract/sends/faults.ts";
import { faultForgottenMs } from "../../limits.ts";
import { byClock, reads, writes } from "../methods.ts";
import type { Queries, StateDatabase } from "../state-database.ts";

async function faultOf(
  queries: Queries,
  { runId, chunk, fault }: FaultName,
): Promise<{ readonly times: number; readonly since: number; readonly last: number } | undefined> {
  return await queries
    .selectFrom("faults")
    .select(["times", "since", "last"])
    .where("runId", "=", runId)
    .where("chunk", "=", chunk)
    .where("fault", "=", fault)
    .executeTakeFirst();
}

async function countFault(
  queries: Queries,
  { now, runId, chunk, fault }: Parameters<FaultStore["countFault"]>[0],
): Promise<ReturnType<FaultStore["countFault"]>> {
  const name = { runId, chunk, fault };
  // Not the wall clock: a step of it would end or prolong a retry budget.
  const nowMs = Math.round(steadyMs(now));
  const found = await faultOf(queries, name);
  const isKnown = found !== undefined && nowMs - found.last <= faultForgottenMs;
  const times = isKnown ? found.times + 1 : 1;
  const since = isKnown ? Math.min(found.since, nowMs) : nowMs;
  const counted = { times, since, last: nowMs };
  await queries
    .insertInto("faults")
    .values({ ...name, ...counted })
    .onConflict((conflict) => conflict.columns(["runId", "chunk", "fault"]).doUpdateSet(counted))
    .execute();
  return { times, forMs: nowMs - since };
}

async function clearFault(queries: Queries, { runId, chunk, fault }: FaultName): Promise<void> {
  await queries
    .deleteFrom("faults")
    .where("runId", "=", runId)
    .where("chunk", "=", chunk)
    .where("fault", "=", fault)
    .execute();
}

/** The faults of a store. */
export function createFaultStore(db: StateDatabase): Remote<FaultStore> {
  return {
    countFault: writes(db, byClock(db, countFault)),
    faultTimes: reads(db, async (queries, name) => (await faultOf(queries, name))?.times ?? 0),
    clearFault: writes(db, clearFault),
  };
}
