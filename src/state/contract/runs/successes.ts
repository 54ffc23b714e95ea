import type { SyncName } from "./checkpoints.ts";

/** What `status`, metrics and alerts ask about many syncs at once. */
export interface SuccessStore {
  /**
   * When the newest run of each sync or pull ended that moved all there was (ISO 8601); backfills, replays and runs
   * with a limit do not count. Leaves out a sync or pull without such a run.
   */
  lastSuccesses(input: {
    readonly target: string;
    readonly syncs: readonly string[];
  }): { readonly sync: string; readonly endedAt: string }[];
  /** When the checkpoint of each sync of a target moved last (ISO 8601). */
  checkpointTimes(
    input: Pick<SyncName, "target">,
  ): { readonly sync: string; readonly updatedAt: string }[];
}
