import { BusyError } from "../../errors.ts";
import { sendLock } from "../../state/contract/runs/locks.ts";
import type { StateStore } from "../../state/state-store.ts";

/** @throws {BusyError} the sync is being sent: what is known of it must not change under its run. */
export async function assertIdle(state: StateStore, target: string, sync: string): Promise<void> {
  const holder = await state.lockHolder(sendLock(target, sync));
  if (holder === undefined) return;
  throw new BusyError(
    `sync ${sync} is held by run ${holder.runId} (workflow ${holder.workflowId})`,
    {
      hint: `wait for it, or \`sluice cancel ${holder.runId}\``,
    },
  );
}
