import { rejectText } from "../../src/records/reject-codes.ts";
import { sendLock } from "../../src/state/contract/runs/locks.ts";
import { attempt } from "../attempt.ts";
import { heldRunOf, isoNow, type Dependencies } from "../dependencies.ts";
import type { CommitResult, StageRef } from "../inputs.ts";
import { detailsReasonsMax } from "../limits.ts";

/**
 * Saves the checkpoint after a chunk that the service accepted (I1), even if the configuration changed: accepted
 * records are not sent again. Twice is once: a committed chunk stays as it is.
 */
export function createCommitChunk(deps: Dependencies): (input: StageRef) => Promise<CommitResult> {
  return async ({ chunk, stage, ...ref }) =>
    await attempt(async () => {
      const { runId, kind, target, sync } = await heldRunOf(deps, ref);
      const { state } = deps;
      await state.commitChunk({ runId, chunk, stage, at: isoNow(deps) });
      // A nightly run shows no lanes and yields to nobody, which keeps its history small.
      if (kind !== "backfill") return { isLockWanted: false, rejects: [] };
      const isLockWanted = await state.isLockWanted(sendLock(target, sync));
      const reasons = await state.rejectReasons({ runId, limit: detailsReasonsMax });
      const rejects = reasons.map(({ code, count }) => ({ reason: rejectText(code), count }));
      return { isLockWanted, rejects };
    });
}
