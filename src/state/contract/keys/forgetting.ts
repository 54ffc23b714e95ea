import type { Moment } from "../../../clock.ts";
import type { SyncName } from "../runs/checkpoints.ts";

/** How many entries of a key were erased, by where they were. */
export type Erased = {
  readonly fingerprints: number;
  /** Rejects, with their rows. */
  readonly rejects: number;
  /** Refusals, doubts and stray keys. */
  readonly notes: number;
  /** Lists of keys from which it was removed. */
  readonly keyLists: number;
  /** Sample records of plans. */
  readonly samples: number;
  /** Results on pages that pulls keep until they are written. */
  readonly results: number;
  /** Positions of runs that contained it. */
  readonly positions: number;
};

/** Removes what is known of keys when a person asks for it. */
export interface ForgettingStore {
  /**
   * Forgets what is known of keys, so that a run which reads them sends them.
   * @throws {BusyError} a run of the sync is open.
   */
  forgetKeys(input: SyncName & { readonly keys: readonly string[] }): void;
  /**
   * Erases a key of a sync wherever it is kept: everything under the key, and rows and results without a key of their
   * own that contain it as a value.
   * @throws {BusyError} a run of the sync is open, or held, or a request with the key may still be applied.
   */
  eraseKey(input: SyncName & { readonly key: string; readonly now: Moment }): Erased;
  /** Every service and account of which anything is kept, of whichever sync or pull. */
  targets(): string[];
  /** Makes erased data unreadable in the store's files; returns false if it cannot. */
  shred(): boolean;
}
