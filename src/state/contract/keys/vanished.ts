import { z } from "zod";

import type { SyncName } from "../runs/checkpoints.ts";

/** Counts the keys that the whole reading before a run brought, and that the run has not. */
export type Vanished = {
  readonly vanished: number;
  /** All keys that the earlier reading brought. */
  readonly of: number;
};

/** As the store reads it. */
export const goneRow = z.object({ runId: z.string(), at: z.string() }).readonly();

/** The first run that did not find a key, and when it ended (ISO 8601). */
export type Gone = z.output<typeof goneRow>;

/**
 * Keys that are no longer in a source, for syncs whose runs each read everything and compare the records. A key whose
 * row is rejected counts as present.
 */
export interface VanishedStore {
  /**
   * Counts the vanished keys, as far as the run has staged, and notes their number for the run; undefined for a first
   * reading, and for a run that has ended.
   */
  countVanished(input: { readonly runId: string }): Vanished | undefined;
  /**
   * Keeps what a run brought that has read everything; the next reading is compared with it. A second call has no
   * effect, nor has a call after the run's end.
   */
  keepReading(input: { readonly runId: string; readonly at: string }): void;
  /** Since when each key is gone; null if the last whole reading brought it, or none ever did. */
  goneSince(input: SyncName & { readonly keys: readonly string[] }): (Gone | null)[];
}
