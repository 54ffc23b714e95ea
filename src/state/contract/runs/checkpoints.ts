import { z } from "zod";

import { jsonColumn } from "../json-column.ts";

/** Whose checkpoint it is: production does not have what the sandbox has seen. */
export type SyncName = {
  /** Origin of the base URL and the account; see `targetOf`. */
  readonly target: string;
  readonly sync: string;
};

/** A checkpoint as stored; position and oldest transaction are JSON. */
export const checkpointRow = z.object({
  /** 0 before the first; grows by one with every change. */
  version: z.int(),
  /** null is the source's beginning. */
  position: jsonColumn,
  /**
   * Where the oldest transaction began that was open in the source when its run began; null if there was none, or none
   * is known.
   */
  oldestOpen: jsonColumn,
  runId: z.string().nullable(),
  updatedAt: z.string().nullable(),
});

/** A position saved after the service accepted everything up to it. */
export type Checkpoint = Readonly<z.output<typeof checkpointRow>>;

/** The checkpoint of a sync that has none yet. */
export const noCheckpoint: Checkpoint = {
  version: 0,
  position: null,
  oldestOpen: null,
  runId: null,
  updatedAt: null,
};

/** The position of one sync at one target; it is JSON. */
export const positionRow = z.object({ target: z.string(), sync: z.string(), position: jsonColumn });

/** A change of a checkpoint by hand; `changedAt` is ISO 8601. */
export const changeRow = z.object({ version: z.int(), reason: z.string(), changedAt: z.string() });

/**
 * Checkpoints, and moving them in one step. Runs move them chunk by chunk in `commitChunk`, which belongs to the sends.
 */
export interface CheckpointStore {
  checkpoint(input: SyncName): Checkpoint;
  /** Every position in an inbox: of all syncs and targets, configured or not. */
  positions(input: { readonly inbox: string }): z.output<typeof positionRow>[];
  /**
   * Moves a checkpoint in one step and writes the change to the audit table; null goes back to the source's beginning.
   * A run that moves it says so in its report.
   * @throws {CheckpointMovedError} it is not at `version` any more.
   */
  setCheckpoint(
    input: SyncName & {
      readonly version: number;
      readonly position: unknown;
      readonly reason: string;
      readonly at: string;
      /** The run that moves it; undefined when it is moved by hand. */
      readonly runId?: string | undefined;
    },
  ): Checkpoint;
  /** Such changes of a checkpoint, newest first, 20 at most. */
  checkpointAudit(input: SyncName): z.output<typeof changeRow>[];
}
