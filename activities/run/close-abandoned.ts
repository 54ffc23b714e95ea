import type { Dependencies } from "../dependencies.ts";
import { cleanUpEnded } from "../stage/drop-chunk.ts";
import { endRun, type RunClosing } from "./close-run.ts";
import { isRunOpen } from "./run-open.ts";
import { endGoneSenders, resumeResends } from "./settle-doubts.ts";

/** Open runs looked at when a worker starts; a sync or pull has a few at most. */
const openRunsMax = 1_000;

/** Ends a run that its workflow cannot end: the workflow was terminated, or is lost with its server. */
export async function abandonRun(
  deps: RunClosing,
  { runId, workflowId }: { readonly runId: string; readonly workflowId: string },
): Promise<void> {
  const message = `its workflow ${workflowId} was terminated, or its Temporal server is gone`;
  const hint = "run it again: it continues where this run stopped";
  const failure = { code: "Abandoned", message, hint };
  await endRun(deps, { runId, outcome: "abandoned", failure });
}

/**
 * Abandons the other runs of a sync or pull whose workflow is gone, for the run that has its lock: they waited for the
 * lock, or for a person, so nobody finds them at it.
 */
export async function abandonOthers(deps: Dependencies, runId: string): Promise<void> {
  const { state } = deps;
  const own = await state.run(runId);
  if (own === undefined) return;
  const { sync, target } = own;
  for (const run of await state.runs({ sync, isOpen: true, limit: openRunsMax })) {
    const isPull = run.kind === "pull";
    const isOther = run.runId !== runId && run.target === target;
    if (!isOther || isPull !== (own.kind === "pull")) continue;
    if (!(await isRunOpen(deps, run))) await abandonRun(deps, run);
  }
}

/**
 * Abandons the runs whose workflow is gone, starts resends of what they left in doubt, and removes the files of runs
 * that have ended. For a worker that starts: nobody else comes back to them.
 */
export async function closeAbandoned(deps: Dependencies): Promise<void> {
  const { config, state, target } = deps;
  for (const run of await state.runs({ isOpen: true, limit: openRunsMax })) {
    // A run of another Temporal server is left to whoever needs its lock: its worker may only be between two releases.
    // Nobody needs the lock of a sync or pull that is no longer configured, or of another service or account. A store
    // in Postgres is used with this Temporal server alone, so a person has said that the other one is gone.
    const isConfigured = config.syncs.has(run.sync) || config.pulls.has(run.sync);
    const isNeeded = isConfigured && run.target === target && config.store === undefined;
    const isLooked = run.temporalId === deps.temporalId || !isNeeded;
    if (isLooked && !(await isRunOpen(deps, run))) await abandonRun(deps, run);
  }
  await endGoneSenders(deps);
  await resumeResends(deps);
  await cleanUpEnded(deps);
}
