import type { Remote } from "../../../thread.ts";
import { type Beat, beatRow, type HostStore, type NewBeat } from "../../contract/runs/hosts.ts";
import { hostBeatMs, hostForgottenMs } from "../../limits.ts";
import { reads, writes } from "../methods.ts";
import type { Queries, StateDatabase } from "../state-database.ts";

/** The fact that remembers when any worker beat last. */
const lastBeatName = "last_beat";

/**
 * Tells the runs that are open how long nothing ran. What was done up to a beat's time after the last one is not idle:
 * a worker that stopped then did not beat again.
 */
async function countIdle(queries: Queries, lastBeat: number): Promise<void> {
  const found = await queries
    .selectFrom("meta")
    .select("value")
    .where("name", "=", lastBeatName)
    .executeTakeFirst();
  const before = Number(found?.value ?? 0);
  // Of a worker whose clock is behind, nothing is told.
  if (lastBeat <= before) return;
  const idleMs = Math.round(lastBeat - before - hostBeatMs);
  if (before > 0 && idleMs > hostBeatMs) {
    await queries
      .updateTable("runs")
      .set((expression) => ({ idleMs: expression("idleMs", "+", idleMs) }))
      .where("endedAt", "is", null)
      .execute();
  }
  const value = String(lastBeat);
  await queries
    .insertInto("meta")
    .values({ name: lastBeatName, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
}

async function beat(
  queries: Queries,
  { hostId, process, name = "", command = "worker", configs = {}, ...rest }: NewBeat,
): Promise<void> {
  const { temporalId, lastBeat, version } = rest;
  await queries
    .deleteFrom("hosts")
    .where("lastBeat", "<", lastBeat - hostForgottenMs)
    .execute();
  await countIdle(queries, lastBeat);
  const told = { temporalId, lastBeat, version, name, command };
  const row = { ...told, configs: JSON.stringify(configs) };
  await queries
    .insertInto("hosts")
    .values({ hostId, process, ...row })
    .onConflict((conflict) => conflict.columns(["hostId", "process"]).doUpdateSet(row))
    .execute();
}

async function stopBeating(
  queries: Queries,
  { hostId, process }: Parameters<HostStore["stopBeating"]>[0],
): Promise<void> {
  await queries
    .deleteFrom("hosts")
    .where("hostId", "=", hostId)
    .where("process", "=", process)
    .execute();
}

async function beats(
  queries: Queries,
  { nowMs, withinMs }: Parameters<HostStore["beats"]>[0],
): Promise<Beat[]> {
  const found = await queries
    .selectFrom("hosts")
    .selectAll()
    .where("lastBeat", ">=", nowMs - withinMs)
    .orderBy("hostId")
    .orderBy("process")
    .execute();
  return found.map((row) => beatRow.parse(row));
}

/** The hosts of a store. */
export function createHostStore(db: StateDatabase): Remote<HostStore> {
  return {
    beat: writes(db, async (queries, input: NewBeat) => {
      const { nowMs: lastBeat } = await db.now(queries, { nowMs: input.lastBeat });
      await beat(queries, { ...input, lastBeat });
    }),
    stopBeating: writes(db, stopBeating),
    storeTime: reads(db, async (queries, nowMs) => (await db.now(queries, { nowMs })).nowMs),
    beats: reads(db, async (queries, { nowMs, withinMs }: Parameters<HostStore["beats"]>[0]) => {
      const now = await db.now(queries, { nowMs });
      return await beats(queries, { ...now, withinMs });
    }),
  };
}
