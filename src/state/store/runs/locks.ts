import { z } from "zod";

import type { Remote } from "../../../thread.ts";
import { jsonColumn } from "../../contract/json-column.ts";
import { type LockStore, lockHolder } from "../../contract/runs/locks.ts";
import { toJson } from "../json.ts";
import { reads, writes } from "../methods.ts";
import { dropStagings } from "../sends/drop-stagings.ts";
import type { Queries, StateDatabase } from "../state-database.ts";

const lockRow = lockHolder.extend({
  fence: z.int(),
  held: z.int(),
  /** The run that a backfill should let go first. */
  waiting: jsonColumn.pipe(lockHolder.nullable()),
});

async function lockOf(
  queries: Queries,
  name: string,
): Promise<z.output<typeof lockRow> | undefined> {
  const found = await queries
    .selectFrom("locks")
    .selectAll()
    .where("name", "=", name)
    .executeTakeFirst();
  return found === undefined ? undefined : lockRow.parse(found);
}

type Taking = Parameters<LockStore["takeLock"]>[0];

async function takeLock(
  queries: Queries,
  { insteadOf, ...input }: Taking,
): Promise<ReturnType<LockStore["takeLock"]>> {
  const { name, runId, firstRunId, workflowId, kind, at: takenAt } = input;
  const found = await lockOf(queries, name);
  if (found?.held === 1) {
    const isOurs = found.firstRunId === firstRunId && found.runId === runId;
    if (isOurs) return { fence: found.fence };
    if (found.firstRunId !== insteadOf?.firstRunId || found.runId !== insteadOf.runId) {
      // Nobody yields to this run here, so it does not wait.
      const isMine = found.waiting?.firstRunId === firstRunId;
      if (isMine && found.kind !== "backfill") await unwait(queries, name);
      return { holder: lockHolder.parse(found) };
    }
    await releaseLock(queries, { name, runId: found.runId });
  }
  const known = [firstRunId, insteadOf?.firstRunId];
  const waits = found?.waiting ?? null;
  const waiting = waits === null || known.includes(waits.firstRunId) ? null : waits;
  if (waiting !== null && kind === "backfill") return { holder: waiting };
  const fence = (found?.fence ?? 0) + 1;
  const lock = { workflowId, firstRunId, runId, kind, fence, held: 1, takenAt };
  const row = { ...lock, waiting: toJson(waiting) };
  await queries
    .insertInto("locks")
    .values({ name, ...row })
    .onConflict((conflict) => conflict.column("name").doUpdateSet(row))
    .execute();
  await queries.updateTable("runs").set({ fence }).where("runId", "=", runId).execute();
  return { fence };
}

async function unwait(queries: Queries, name: string): Promise<void> {
  await queries.updateTable("locks").set({ waiting: null }).where("name", "=", name).execute();
}

async function releaseLock(
  queries: Queries,
  { name, runId, fence, keptIfStaged = false }: Parameters<LockStore["releaseLock"]>[0],
): Promise<void> {
  const staged = queries.selectFrom("stagings").select("send").where("runId", "=", runId).limit(1);
  if (keptIfStaged && (await staged.executeTakeFirst()) !== undefined) return;
  let releasing = queries
    .updateTable("locks")
    .set({ held: 0 })
    .where("name", "=", name)
    .where("runId", "=", runId);
  if (fence !== undefined) releasing = releasing.where("fence", "=", fence);
  const { numUpdatedRows } = await releasing.executeTakeFirst();
  // Nobody else would give up what its zombies began until now; from now on they begin nothing.
  if (numUpdatedRows > 0n) await dropStagings(queries, { runId });
}

async function wantLock(
  queries: Queries,
  { name, workflowId, firstRunId, runId, kind }: Parameters<LockStore["wantLock"]>[0],
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("locks")
    .set({ waiting: JSON.stringify({ workflowId, firstRunId, runId, kind }) })
    .where("name", "=", name)
    .where("held", "=", 1)
    .where("kind", "=", "backfill")
    .where("firstRunId", "<>", firstRunId)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** The locks of a store. */
export function createLockStore(db: StateDatabase): Remote<LockStore> {
  return {
    takeLock: writes(db, takeLock),
    releaseLock: writes(db, releaseLock),
    wantLock: writes(db, wantLock),
    isLockWanted: reads(db, async (queries, name) => {
      const found = await lockOf(queries, name);
      return found?.held === 1 && found.waiting !== null;
    }),
    lockHolder: reads(db, async (queries, name) => {
      const found = await lockOf(queries, name);
      return found?.held === 1 ? lockHolder.parse(found) : undefined;
    }),
  };
}
