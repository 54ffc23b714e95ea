import { CheckpointMovedError } from "../../../errors.ts";
import { isPlainObject } from "../../../records/json-value.ts";
import type { Remote } from "../../../thread.ts";
import {
  changeRow,
  type Checkpoint,
  checkpointRow,
  type CheckpointStore,
  noCheckpoint,
  positionRow,
  type SyncName,
} from "../../contract/runs/checkpoints.ts";
import { toJson } from "../json.ts";
import { reads, writes } from "../methods.ts";
import type { Queries, StateDatabase } from "../state-database.ts";

/** The most changes that are listed. */
const changesMax = 20;

async function checkpointOf(queries: Queries, { target, sync }: SyncName): Promise<Checkpoint> {
  const found = await queries
    .selectFrom("checkpoints")
    .selectAll()
    .where("target", "=", target)
    .where("sync", "=", sync)
    .executeTakeFirst();
  return found === undefined ? noCheckpoint : checkpointRow.parse(found);
}

/** The version of the checkpoint of a run's sync; 0 if it has none. */
export async function checkpointVersionOf(queries: Queries, runId: string): Promise<number> {
  const found = await queries
    .selectFrom("checkpoints as c")
    .innerJoin("runs as r", (join) =>
      join.onRef("c.target", "=", "r.target").onRef("c.sync", "=", "r.sync"),
    )
    .select("c.version")
    .where("r.runId", "=", runId)
    .executeTakeFirst();
  return found?.version ?? 0;
}

async function positions(
  queries: Queries,
  { inbox }: Parameters<CheckpointStore["positions"]>[0],
): Promise<ReturnType<CheckpointStore["positions"]>> {
  // All are read, a row for each sync: JSON may hold what Postgres cannot represent, such as a NUL.
  const found = await queries
    .selectFrom("checkpoints")
    .select(["target", "sync", "position"])
    .execute();
  return found
    .map((row) => positionRow.parse(row))
    .filter(({ position }) => isPlainObject(position) && position["inbox"] === inbox);
}

async function setCheckpoint(
  queries: Queries,
  {
    target,
    sync,
    version,
    position,
    reason,
    at,
    runId,
  }: Parameters<CheckpointStore["setCheckpoint"]>[0],
): Promise<Checkpoint> {
  const name = { target, sync };
  const now = await checkpointOf(queries, name);
  if (now.version !== version) {
    throw new CheckpointMovedError(
      `the checkpoint of ${sync} is at version ${now.version}, not ${version}: someone moved it meanwhile`,
      { hint: "look at `sluice state show` and repeat" },
    );
  }
  const change = { version: version + 1, position: toJson(position) };
  const row = { ...change, oldestOpen: null, runId: runId ?? null, updatedAt: at };
  await queries
    .insertInto("checkpoints")
    .values({ ...name, ...row })
    .onConflict((conflict) => conflict.columns(["target", "sync"]).doUpdateSet(row))
    .execute();
  if (runId !== undefined) {
    await queries
      .updateTable("runs")
      .set({ checkpointVersion: change.version })
      .where("runId", "=", runId)
      .execute();
  }
  await queries
    .insertInto("checkpointAudit")
    .values({ ...name, ...change, reason, changedAt: at })
    .execute();
  return await checkpointOf(queries, name);
}

async function checkpointAudit(
  queries: Queries,
  { target, sync }: SyncName,
): Promise<ReturnType<CheckpointStore["checkpointAudit"]>> {
  const found = await queries
    .selectFrom("checkpointAudit")
    .select(["version", "reason", "changedAt"])
    .where("target", "=", target)
    .where("sync", "=", sync)
    .orderBy("id", "desc")
    .limit(changesMax)
    .execute();
  return found.map((row) => changeRow.parse(row));
}

/** The checkpoints of a store. */
export function createCheckpointStore(db: StateDatabase): Remote<CheckpointStore> {
  return {
    checkpoint: reads(db, checkpointOf),
    positions: reads(db, positions),
    setCheckpoint: writes(db, setCheckpoint),
    checkpointAudit: reads(db, checkpointAudit),
  };
}
