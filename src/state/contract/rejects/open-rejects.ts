import { z } from "zod";

import type { SyncName } from "../runs/checkpoints.ts";
import { runKinds } from "../runs/runs.ts";

/** Which open rejects are asked for: those of a target, and only of one sync or one code if these are named. */
export type OpenRejectsOf = Pick<SyncName, "target"> & {
  readonly sync?: string | undefined;
  readonly code?: string | undefined;
};

/** A run with open rejects as counted; `open` is how many. */
export const openRejectsRow = z
  .object({ runId: z.string(), sync: z.string(), kind: z.enum(runKinds), open: z.int() })
  .readonly();

/** A run with rejects that are open, and how many. */
export type RunWithOpenRejects = z.output<typeof openRejectsRow>;

/** A sync with open rejects as counted. */
export const openCountRow = z.object({ sync: z.string(), open: z.int() }).readonly();

/** How many rejects of a sync are open. */
export type OpenRejectCount = z.output<typeof openCountRow>;

/**
 * Open rejects of syncs, whichever run holds them: no replay has read their rows, no reject of the same row or key came
 * later, no newer record of their key was staged since (which says nothing about a second row of a key), and no later
 * run has read the whole source. What a run learns about them counts once it has ended. Rejects are not open in a chunk
 * that was never committed, as they come again with the next run, nor for a row that is gone or a line that no source
 * has, as nothing of it can be sent.
 */
export interface OpenRejectStore {
  /**
   * The runs that hold them, in the order in which they are replayed: newest first, replays after the runs that they
   * replayed.
   */
  runsWithOpenRejects(input: OpenRejectsOf & { readonly limit?: number }): RunWithOpenRejects[];
  /** How many each sync has, without syncs that have none, in no order. */
  openRejectCounts(input: Pick<SyncName, "target">): OpenRejectCount[];
}
