import type { SyncName } from "../runs/checkpoints.ts";

/** Whether a store was restored from a backup. */
export interface RestoreStore {
  /** Whether the store was found to be older than what was sent, and no run of this sync has reported it yet. */
  isRestored(input: SyncName): boolean;
  /** Notes that a run of this sync has reported it. */
  tellRestored(input: SyncName): void;
}
