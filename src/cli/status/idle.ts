import type { Config } from "../../config/config.ts";
import { BusyError } from "../../errors.ts";
import type { SyncName } from "../../state/contract/runs/checkpoints.ts";
import { openHold } from "../../state/contract/runs/holds.ts";
import { sendLock } from "../../state/contract/runs/locks.ts";
import type { StateStore } from "../../state/state-store.ts";
import { heldHint, whyUnsendable } from "../run/unsendable.ts";

/** @throws {BusyError} the sync is being sent: what is known about it must not change during its run. */
export async function assertIdle(
  state: StateStore,
  config: Config,
  { target, sync }: SyncName,
): Promise<void> {
  const holder = await state.lockHolder(sendLock(target, sync));
  if (holder === undefined) return;
  const { runId, workflowId } = holder;
  const run = await state.run(runId);
  if (run !== undefined && openHold(run) !== undefined) {
    throw new BusyError(`run ${runId} of sync ${sync} waits for somebody's consent`, {
      hint: heldHint(runId, whyUnsendable(config, run)),
    });
  }
  throw new BusyError(`sync ${sync} is held by run ${runId} (workflow ${workflowId})`, {
    hint: `wait for it, or \`sluice cancel ${runId}\``,
  });
}
