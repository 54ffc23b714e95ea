import { sendLock } from "../src/state/locks.ts";
import { attempt } from "./attempt.ts";
import { heldRunOf, isoNow, type Dependencies } from "./dependencies.ts";
import type { CommitResult, StageRef } from "./inputs.ts";

/**
 * Saves the checkpoint behind a chunk that the service accepted (I1), also after the configuration changed: what was accepted
 * is not sent again. Twice is once: a committed chunk stays as it is.
 */
export function createCommitChunk(deps: Dependencies): (input: StageRef) => Promise<CommitResult> {
  return async ({ chunk, stage, ...ref }) =>
    await attempt(async () => {
      const { runId, kind, target, sync } = await heldRunOf(deps, ref);
      await deps.state.commitChunk({ runId, chunk, stage, at: isoNow(deps) });
      const mayYield = kind === "backfill";
      return { isLockWanted: mayYield && (await deps.state.isLockWanted(sendLock(target, sync))) };
    });
}
