import type { StageName } from "./stagings.ts";

/** The one place where a checkpoint follows an acceptance (I1). */
export interface CommitStore {
  /**
   * Saves the checkpoint after a chunk that the service accepted, its receipts and its send, in one
   * transaction; the keys that it sent are written before, some at a time, and count with it. Of a replay, a
   * backfill or a resend it leaves the checkpoint where it is; of a replay it marks the rejects that were read
   * again. What it sent is no longer in doubt where its request began after the end of every older one.
   * @throws {SupersededError} the staging is not the newest. @throws {NotBalancedError} a part is not accepted.
   * @throws {CheckpointMovedError} someone else moved the checkpoint.
   */
  commitChunk(input: StageName & { readonly at: string }): void;
  /**
   * Does what can be done for the commit of a chunk while it is on its way, so that the commit itself is short: where
   * something of it has left, its keys are written already, and none of them is known by it any earlier. May be left
   * out, and end anywhere; does nothing where nothing has left, or the staging is not the newest.
   */
  prepareCommit(input: StageName): void;
}
