import type { Run } from "../../src/state/contract/runs/runs.ts";
import type { Dependencies } from "../dependencies.ts";

/** Completed runs of a sync that are looked at: among them may be replays, and runs for another service. */
const runsLookedAtMax = 100;

/** The last run of the same kind, for the same sync and service, that completed before this one. */
export async function lastCompleted(
  { state }: Pick<Dependencies, "state">,
  { runId, sync, target, kind }: Run,
  { isWhole = false }: { /** Only a run without a row limit. */ readonly isWhole?: boolean } = {},
): Promise<Run | undefined> {
  const outcomes = ["done", "done_with_rejects"] as const;
  const runs = await state.runs({ sync, outcomes, limit: runsLookedAtMax });
  return runs.find(
    (run) =>
      run.runId !== runId &&
      run.kind === kind &&
      run.target === target &&
      !(isWhole && run.request.limit !== undefined),
  );
}
