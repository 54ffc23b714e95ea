import { z } from "zod";

import { CheckpointMovedError } from "../errors.ts";
import type { Database } from "./database.ts";
import { all, first, jsonColumn, toJson } from "./database.ts";

/** Whose checkpoint it is: what the sandbox has seen is not what production has. */
export type SyncName = {
  /** Origin of the base URL and the account; see `targetOf`. */
  readonly target: string;
  readonly sync: string;
};

const checkpointRow = z.object({
  /** 0 before the first; grows by one with every change. */
  version: z.int(),
  /** null is the source's beginning. */
  position: jsonColumn,
  /** Where the oldest transaction began that was open in the source when its run was; null where none was, or none is known. */
  held: jsonColumn,
  runId: z.string().nullable(),
  updatedAt: z.string().nullable(),
});

/** A position saved after the service accepted everything up to it. */
export type Checkpoint = Readonly<z.output<typeof checkpointRow>>;

const positionRow = z.object({ target: z.string(), sync: z.string(), position: jsonColumn });

const changeRow = z.object({ version: z.int(), reason: z.string(), changedAt: z.string() });

/** Checkpoints and their changes in one go. Runs move them in `commitChunk`, chunk by chunk, which belongs to the sends. */
export interface CheckpointStore {
  checkpoint(input: SyncName): Checkpoint;
  /** Every position in an inbox: of all syncs and targets, configured or not. */
  positions(input: { readonly inbox: string }): z.output<typeof positionRow>[];
  /**
   * Moves a checkpoint in one go and writes the change to the audit table; null goes back to the source's beginning. A run that moves it
   * reports so.
   * @throws {CheckpointMovedError} it is not at `version` any more.
   */
  setCheckpoint(
    input: SyncName & {
      readonly version: number;
      readonly position: unknown;
      readonly reason: string;
      readonly at: string;
      /** The run that moves it; nobody's, when it is moved by hand. */
      readonly runId?: string | undefined;
    },
  ): Checkpoint;
  /** Such changes of a checkpoint, newest first, 20 at most. */
  checkpointAudit(input: SyncName): z.output<typeof changeRow>[];
}

/** The checkpoints of a SQLite store. */
export function createCheckpointStore(db: Database): CheckpointStore {
  const select = db.prepare(
    `select version, position, held, run_id as runId, updated_at as updatedAt from checkpoints
     where target = $target and sync = $sync`,
  );
  const positions = db.prepare(
    "select target, sync, position from checkpoints where position ->> '$.inbox' = $inbox",
  );
  const replace = db.prepare(
    `insert or replace into checkpoints (target, sync, version, position, held, run_id, updated_at)
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
      held: null,
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
