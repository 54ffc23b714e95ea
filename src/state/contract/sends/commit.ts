import type { StageName } from "./stagings.ts";

/** The one place where a checkpoint follows an acceptance (I1). */
export interface CommitStore {
  /**
   * Saves the checkpoint after a chunk that the service accepted, its receipts and its send, in one transaction. The
   * keys that it sent are written before, some at a time, and count only with it. For a replay, a backfill or a resend,
   * it leaves the checkpoint where it is; for a replay, it marks the rejects that were read again. A record that it
   * sent is no longer in doubt if its request began after the end of every older one.
   * @throws {SupersededError} the staging is not the newest. @throws {NotBalancedError} a part is not accepted.
   * @throws {CheckpointMovedError} someone else moved the checkpoint.
   */
  commitChunk(input: StageName & { readonly at: string }): void;
  /**
   * Prepares the commit of a chunk that is on its way, so that the commit itself is short: writes its keys, none of
   * which becomes known before the commit. May be left out, and may be interrupted anywhere; does nothing if nothing of
   * the chunk has left, or the staging is not the newest.
   */
  prepareCommit(input: StageName): void;
}
