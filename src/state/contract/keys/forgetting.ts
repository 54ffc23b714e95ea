import type { Moment } from "../../../clock.ts";
import type { SyncName } from "../runs/checkpoints.ts";

/** How much was erased of a key, by where it was. */
export type Erased = {
  readonly fingerprints: number;
  /** Rejects, with their rows. */
  readonly rejects: number;
  /** Refusals, doubts and stray keys. */
  readonly notes: number;
  /** Lists of keys that it was taken out of. */
  readonly keyLists: number;
  /** Sample records of plans. */
  readonly samples: number;
  /** Results on pages of pulls that were kept to be written. */
  readonly results: number;
  /** Positions of runs that were named by it. */
  readonly positions: number;
};

/** What is taken back of keys by a person's word. */
export interface ForgettingStore {
  /**
   * Forgets what is known of keys, so that a run which reads them sends them.
   * @throws {BusyError} a run of the sync is open.
   */
  forgetKeys(input: SyncName & { readonly keys: readonly string[] }): void;
  /**
   * Erases a key of a sync wherever it is kept: what it holds of it, and rows and results of which a value is the key
   * where no key is kept beside them.
   * @throws {BusyError} a run of the sync is open, or held, or a request with the key may still be applied.
   */
  eraseKey(input: SyncName & { readonly key: string; readonly now: Moment }): Erased;
  /** Sees to it that what was erased cannot be read from the store's files any more; false where it cannot. */
  shred(): boolean;
}
