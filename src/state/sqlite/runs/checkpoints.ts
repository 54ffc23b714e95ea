import { CheckpointMovedError } from "../../../errors.ts";
import { type SyncName } from "../../contract/runs/checkpoints.ts";
import {
  type CheckpointStore,
  type Checkpoint,
  checkpointRow,
  positionRow,
  changeRow,
} from "../../contract/runs/checkpoints.ts";
import type { Database } from "../database.ts";
import { all, first, toJson } from "../database.ts";

/** The checkpoints of a SQLite store. */
export function createCheckpointStore(db: Database): CheckpointStore {
  const select = db.prepare(
    `select version, position, oldest_open as oldestOpen, run_id as runId, updated_at as updatedAt from checkpoints
     where target = $target and sync = $sync`,
  );
  const positions = db.prepare(
    "select target, sync, position from checkpoints where position ->> '$.inbox' = $inbox",
  );
  const replace = db.prepare(
    `insert or replace into checkpoints (target, sync, version, position, oldest_open, run_id, updated_at)
     values ($target, $sync, $next, $position, null, $runId, $at)`,
  );
  const audit = db.prepare(
    `insert into checkpoint_audit (target, sync, version, position, reason, changed_at)
     values ($target, $sync, $next, $position, $reason, $at)`,
  );
  const movedBy = db.prepare("update runs set checkpoint_version = $next where run_id = $runId");
  const audited = db.prepare(
    `select version, reason, changed_at as changedAt from checkpoint_audit where target = $target and sync = $sync
     order by id desc limit 20`,
  );
  const checkpoint = (name: SyncName): Checkpoint =>
    first(checkpointRow, select, name) ?? {
      version: 0,
      position: null,
      oldestOpen: null,
      runId: null,
      updatedAt: null,
    };
  return {
    checkpoint,
    positions: (input) => all(positionRow, positions, input),
    setCheckpoint: (input) =>
      db.write(() => {
        const { target, sync } = input;
        const { version } = checkpoint({ target, sync });
        if (version !== input.version) {
          throw new CheckpointMovedError(
            `the checkpoint of ${sync} is at version ${version}, not ${input.version}: someone moved it meanwhile`,
            { hint: "look at `sluice state show` and repeat" },
          );
        }
        const { runId = null } = input;
        const change = { ...input, runId, next: version + 1, position: toJson(input.position) };
        replace.run(change);
        movedBy.run(change);
        audit.run(change);
        return checkpoint({ target, sync });
      }),
    checkpointAudit: (name) => all(changeRow, audited, name),
  };
}
