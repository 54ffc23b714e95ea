import type { SyncName } from "../runs/checkpoints.ts";

/** What a store notices of having been restored from a backup. */
export interface RestoreStore {
  /** Whether the store was found to be older than what was sent, and no run of this sync has told so yet. */
  isRestored(input: SyncName): boolean;
  /** A run has told so. */
  tellRestored(input: SyncName): void;
}
