import { z } from "zod";

import type { SyncName } from "../runs/checkpoints.ts";

/** Keys that the whole reading before a run brought, and that this run has not. */
export type Vanished = {
  readonly vanished: number;
  /** All that the reading before brought. */
  readonly of: number;
};

/** As the store reads it. */
export const goneRow = z.object({ runId: z.string(), at: z.string() }).readonly();

/** The run that was the first not to find a key, and when it ended (ISO 8601). */
export type Gone = z.output<typeof goneRow>;

/**
 * Keys that are not in a source any more, of syncs of which each run reads all and compares the records. A key whose
 * row is rejected is there.
 */
export interface VanishedStore {
  /**
   * Counts what vanished, as far as the run has staged, and notes it of the run; undefined of a first reading, and of a
   * run that has ended.
   */
  countVanished(input: { readonly runId: string }): Vanished | undefined;
  /**
   * Takes what a run brought that has read all for what there is; the next is held against it. Twice is once, and
   * after the run's end nothing.
   */
  keepReading(input: { readonly runId: string; readonly at: string }): void;
  /** Of each key since when it is gone; null of one that the last whole reading brought, or none ever did. */
  goneSince(input: SyncName & { readonly keys: readonly string[] }): (Gone | null)[];
}
