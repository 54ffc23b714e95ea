import { z } from "zod";

import type { Database } from "./database.ts";
import { first, jsonColumn, toJson } from "./database.ts";
import { createDropping } from "./sends.ts";

const lockHolder = z.object({
  workflowId: z.string(),
  firstRunId: z.string(),
  runId: z.string(),
  kind: z.string(),
});

/** Who holds a lock: the workflow, by its id and the run id of its first execution, which continue-as-new keeps. */
export type LockHolder = Readonly<z.output<typeof lockHolder>>;

const lockRow = lockHolder.extend({
  fence: z.int(),
  held: z.int(),
  /** The run that a backfill is to let go first. */
  waiting: jsonColumn.pipe(lockHolder.nullable()),
});

/**
 * The send lock: a sync is sent by one run at a time. It is never timed out; a holder that is closed is replaced, and a backfill yields
 * it to a run that waits.
 */
export interface LockStore {
  /**
   * Takes the lock when it is free, already this run's, or held by `insteadOf`, whose stagings are given up with it: whatever
   * its zombies still write is refused. A backfill does not take one that another run waits for, unless that is `insteadOf`.
   * @returns the fence number of this holding, or who holds the lock or waits for it.
   */
  takeLock(
    input: LockHolder & {
      readonly name: string;
      /** The holder, or the one that waits, whom Temporal says is closed. */
      readonly insteadOf?: LockHolder | undefined;
      readonly at: string;
    },
  ): { readonly fence: number } | { readonly holder: LockHolder };
  /** Gives the lock back; nothing when another holds it. */
  releaseLock(input: { readonly name: string; readonly runId: string }): void;
  /** Asks the backfill that holds the lock to yield it. @returns whether one holds it. */
  wantLock(input: LockHolder & { readonly name: string }): boolean;
  /** Whether a run waits for a lock that is held. */
  isLockWanted(name: string): boolean;
  lockHolder(name: string): LockHolder | undefined;
}

/** The name of a sync's send lock. */
export function sendLock(target: string, sync: string): string {
  return `sync ${sync} to ${target}`;
}

/** The locks of a SQLite store. */
export function createLockStore(db: Database): LockStore {
  const select = db.prepare(
    `select workflow_id as workflowId, first_run_id as firstRunId, run_id as runId, kind, fence, held, waiting
     from locks where name = $name`,
  );
  const put = db.prepare(
    `insert or replace into locks (name, workflow_id, first_run_id, run_id, kind, fence, held, waiting, taken_at)
     values ($name, $workflowId, $firstRunId, $runId, $kind, $fence, 1, $waiting, $at)`,
  );
  const want = db.prepare(
    "update locks set waiting = $waiting where name = $name and held and kind = 'backfill' and first_run_id <> $firstRunId",
  );
  const setFence = db.prepare("update runs set fence = $fence where run_id = $runId");
  const dropSends = createDropping(db);
  const unwait = db.prepare("update locks set waiting = null where name = $name");
  const release = db.prepare("update locks set held = 0 where name = $name and run_id = $runId");
  return {
    takeLock: ({ insteadOf, ...input }) =>
      db.write(() => {
        const found = first(lockRow, select, input);
        if (found?.held === 1) {
          const isOurs = found.firstRunId === input.firstRunId && found.runId === input.runId;
          if (isOurs) return { fence: found.fence };
          if (found.firstRunId !== insteadOf?.firstRunId || found.runId !== insteadOf.runId) {
            // Nobody yields to it here: it does not wait.
            const isMine = found.waiting?.firstRunId === input.firstRunId;
            if (isMine && found.kind !== "backfill") unwait.run(input);
            return { holder: lockHolder.parse(found) };
          }
          dropSends(found.runId, 0);
          release.run({ name: input.name, runId: found.runId });
        }
        const known = [input.firstRunId, insteadOf?.firstRunId];
        const waits = found?.waiting ?? null;
        const waiting = waits === null || known.includes(waits.firstRunId) ? null : waits;
        if (waiting !== null && input.kind === "backfill") return { holder: waiting };
        const fence = (found?.fence ?? 0) + 1;
        put.run({ ...input, fence, waiting: toJson(waiting) });
        setFence.run({ runId: input.runId, fence });
        return { fence };
      }),
    releaseLock: (input) => db.write(() => void release.run(input)),
    wantLock: ({ name, workflowId, firstRunId, runId, kind }) =>
      db.write(() => {
        const waiting = JSON.stringify({ workflowId, firstRunId, runId, kind });
        return want.run({ name, firstRunId, waiting }).changes === 1;
      }),
    isLockWanted: (name) => {
      const found = first(lockRow, select, { name });
      return found?.held === 1 && found.waiting !== null;
    },
    lockHolder: (name) => {
      const found = first(lockRow, select, { name });
      return found?.held === 1 ? lockHolder.parse(found) : undefined;
    },
  };
}
