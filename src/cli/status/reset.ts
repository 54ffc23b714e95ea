import type { SyncName } from "../../state/contract/runs/checkpoints.ts";
import type { Checkpoint } from "../../state/contract/runs/checkpoints.ts";
import { sendLock } from "../../state/contract/runs/locks.ts";
import type { Run } from "../../state/contract/runs/runs.ts";
import type { StateStore } from "../../state/state-store.ts";

/** How many open runs are looked at: a sync has a few at most. */
const openRunsMax = 1_000;

/** The code of a backfill that a reset has ended in the store. */
export const resetCode = "Reset";

/**
 * Ends the waiting backfills of a sync in the store, and returns them: what they sent is forgotten, and may have gone
 * to another account. Other runs hold the lock until they end, so none of them is in progress.
 */
async function endBackfills(
  state: StateStore,
  { target, sync }: SyncName,
  endedAt: string,
): Promise<readonly Run[]> {
  const ended: Run[] = [];
  for (const run of await state.runs({ sync, isOpen: true, limit: openRunsMax })) {
    if (run.kind !== "backfill" || run.target !== target) continue;
    const message = `the sync was reset (\`sluice state reset ${sync}\`) while this backfill waited`;
    const failure = {
      code: resetCode,
      message,
      hint: `\`sluice backfill ${sync}\` begins another`,
    };
    ended.push(await state.endRun({ runId: run.runId, outcome: "cancelled", failure, endedAt }));
  }
  return ended;
}

/**
 * Goes back to a source's beginning and forgets what is known about the account. To be called while nothing of the sync
 * is being sent.
 * @returns the checkpoint, and the backfills that waited and have ended: their workflows have not heard of it.
 */
export async function resetSync(
  state: StateStore,
  { target, sync }: SyncName,
  { reason, at }: { readonly reason: string; readonly at: string },
): Promise<{ readonly moved: Checkpoint; readonly backfills: readonly Run[] }> {
  const backfills = await endBackfills(state, { target, sync }, at);
  const { version } = await state.checkpoint({ target, sync });
  // First: otherwise a run that begins meanwhile would take what it reads from the beginning for unchanged.
  await state.forgetFingerprints({ target, sync });
  const moved = await state.setCheckpoint({ target, sync, version, position: null, reason, at });
  // Records that were staged for one account are not sent to another; everything comes again from the source.
  await state.forgetDoubts({ target, sync });
  await state.forgetRefusals({ target, sync });
  // Last: until all of it is forgotten, another account is noticed.
  await state.forgetIdentities({ holder: sendLock(target, sync) });
  return { moved, backfills };
}
