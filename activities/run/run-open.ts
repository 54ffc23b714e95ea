import { liveWorkers } from "../../src/hosts/live-workers.ts";
import type { LockHolder } from "../../src/state/contract/runs/locks.ts";
import type { Dependencies } from "../dependencies.ts";

/**
 * Whether a run may still continue. Its workflow is looked up on its own Temporal server. A run on another server,
 * where this worker cannot look, may continue while a worker on that server lives.
 */
export async function isRunOpen(
  deps: Pick<Dependencies, "config" | "isWorkflowOpen" | "now" | "state" | "temporalId">,
  run: Pick<LockHolder, "runId" | "workflowId" | "firstRunId">,
): Promise<boolean> {
  const temporalId = (await deps.state.run(run.runId))?.temporalId ?? deps.temporalId;
  if (temporalId === deps.temporalId) return await deps.isWorkflowOpen(run);
  const withinMs = deps.config.advanced.hostLostAfterMs;
  return (await liveWorkers(deps.state, { temporalId, nowMs: deps.now(), withinMs })).length > 0;
}
