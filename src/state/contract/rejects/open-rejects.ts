import { z } from "zod";

import type { SyncName } from "../runs/checkpoints.ts";
import { runKinds } from "../runs/runs.ts";

/** Which open rejects are asked for: of one target, of one sync and one code when they are named. */
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
 * Rejects of syncs that are open, whichever run holds them: no replay has read their rows, none of the same
 * row or key came later, a newer record of their key was not staged since (which says nothing of a second row
 * of a key), and no later run has read the whole source. What a run knew of them counts once it has ended. Those of a
 * chunk that was never committed come again with the next run, and of a row that is gone, or a line that no source has,
 * nothing can be sent.
 */
export interface OpenRejectStore {
  /**
   * The runs that hold them, in the order in which they are replayed: newest first, replays after what they
   * were of.
   */
  runsWithOpenRejects(input: OpenRejectsOf & { readonly limit?: number }): RunWithOpenRejects[];
  /** How many each sync has that has any, in no order. */
  openRejectCounts(input: Pick<SyncName, "target">): OpenRejectCount[];
}
