import { z } from "zod";

import { jsonColumn } from "../../contract/json-column.ts";
import { lockHolder, type LockStore } from "../../contract/runs/locks.ts";
import type { Database } from "../database.ts";
import { first, toJson } from "../database.ts";
import { createDropping } from "../sends/stagings.ts";

const lockRow = lockHolder.extend({
  fence: z.int(),
  held: z.int(),
  /** The run that a backfill is to let go first. */
  waiting: jsonColumn.pipe(lockHolder.nullable()),
});

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
    "update locks set waiting = $waiting where name = $name and held and kind = 'backfill' and first_run_id <> " +
      "$firstRunId",
  );
  const setFence = db.prepare("update runs set fence = $fence where run_id = $runId");
  const dropStagings = createDropping(db);
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
          dropStagings(found.runId, 0);
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
