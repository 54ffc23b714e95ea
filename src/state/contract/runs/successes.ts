import type { SyncName } from "./checkpoints.ts";

/** What `status`, metrics and alerts ask of many syncs at once. */
export interface SuccessStore {
  /**
   * When the newest run of each sync or pull ended that moved all there was (ISO 8601): no backfill or replay.
   * One without such a run is not in it.
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
