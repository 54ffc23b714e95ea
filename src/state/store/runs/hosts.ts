import type { Remote } from "../../../thread.ts";
import {
  type Beat,
  beatRow,
  type HostStore,
  type NewBeat,
  type TemporalRecord,
  temporalRow,
} from "../../contract/runs/hosts.ts";
import { hostBeatMs, hostForgottenMs } from "../../limits.ts";
import { reads, writes } from "../methods.ts";
import type { Queries, StateDatabase } from "../state-database.ts";

/** The fact that remembers when any worker last beat. */
const lastBeatName = "last_beat";

/**
 * Adds to the open runs how long no worker ran. One beat interval after the last beat does not count as idle: a worker
 * that stopped then did not beat again.
 */
async function countIdle(queries: Queries, lastBeat: number): Promise<void> {
  const found = await queries
    .selectFrom("meta")
    .select("value")
    .where("name", "=", lastBeatName)
    .executeTakeFirst();
  const before = Number(found?.value ?? 0);
  // A worker whose clock is behind changes nothing.
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
  { hostId, process, name = "", command = "worker", configs = {}, folder = "", ...rest }: NewBeat,
): Promise<void> {
  const { temporalId, lastBeat, version } = rest;
  await queries
    .deleteFrom("hosts")
    .where("lastBeat", "<", lastBeat - hostForgottenMs)
    .execute();
  await countIdle(queries, lastBeat);
  const told = { temporalId, lastBeat, version, name, command, folder };
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

async function chooseHost(
  queries: Queries,
  { runId, lane, over = [], hosts }: Parameters<HostStore["chooseHost"]>[0],
): Promise<string> {
  await queries
    .deleteFrom("runHosts")
    .where("runId", "=", runId)
    .where("lane", "in", [lane, ...over])
    .execute();
  const found = await queries
    .selectFrom("runHosts as h")
    .innerJoin("locks as l", (join) => join.onRef("l.runId", "=", "h.runId").on("l.held", "=", 1))
    .select((row) => ["h.hostId", row.fn.countAll<number>().as("lanes")])
    .groupBy("h.hostId")
    .execute();
  const lanesAt = new Map(found.map(({ hostId, lanes }) => [hostId, lanes]));
  const fewest = Math.min(...hosts.map((host) => lanesAt.get(host) ?? 0));
  const hostId = hosts.find((host) => (lanesAt.get(host) ?? 0) === fewest) ?? hosts[0];
  await queries.insertInto("runHosts").values({ runId, lane, hostId }).execute();
  return hostId;
}

/** The fact that remembers which Temporal the store is used with. */
const temporalName = "temporal";

async function usedTemporal(queries: Queries): Promise<TemporalRecord | undefined> {
  const found = await queries
    .selectFrom("meta")
    .select("value")
    .where("name", "=", temporalName)
    .executeTakeFirst();
  return found === undefined ? undefined : temporalRow.parse(JSON.parse(found.value));
}

async function bindTemporal(
  queries: Queries,
  { temporal, isRebound }: Parameters<HostStore["bindTemporal"]>[0],
): Promise<TemporalRecord> {
  const used = await usedTemporal(queries);
  if (used !== undefined && !isRebound) return used;
  const value = JSON.stringify(temporal);
  await queries
    .insertInto("meta")
    .values({ name: temporalName, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
  return temporal;
}

/** The hosts of a store. */
export function createHostStore(db: StateDatabase): Remote<HostStore> {
  return {
    beat: writes(db, async (queries, input: NewBeat) => {
      const { nowMs: lastBeat } = await db.now(queries, { nowMs: input.lastBeat });
      await beat(queries, { ...input, lastBeat });
    }),
    stopBeating: writes(db, stopBeating),
    chooseHost: writes(db, chooseHost),
    usedTemporal: reads(db, usedTemporal),
    bindTemporal: writes(db, bindTemporal),
    storeTime: reads(db, async (queries, nowMs) => (await db.now(queries, { nowMs })).nowMs),
    beats: reads(db, async (queries, { nowMs, withinMs }: Parameters<HostStore["beats"]>[0]) => {
      const now = await db.now(queries, { nowMs });
      return await beats(queries, { ...now, withinMs });
    }),
  };
}
