import type { Run } from "../state/contract/runs/runs.ts";
import type { StateStore } from "../state/state-store.ts";

/** Completed runs of a sync that are looked at: among them may be runs for another service. */
const runsLookedAtMax = 100;

/** The last run of the same kind, for the same sync and service, that completed before this one. */
export async function lastCompleted(
  { state }: { readonly state: Pick<StateStore, "runs"> },
  { runId, sync, target, kind }: Pick<Run, "kind" | "runId" | "sync" | "target">,
  { isWhole = false }: { /** Only a run without a row limit. */ readonly isWhole?: boolean } = {},
): Promise<Run | undefined> {
  const outcomes = ["done", "done_with_rejects"] as const;
  const runs = await state.runs({ sync, kinds: [kind], outcomes, limit: runsLookedAtMax });
  return runs.find(
    (run) =>
      run.runId !== runId && run.target === target && !(isWhole && run.request.limit !== undefined),
  );
}

/** Rows that the last completed run without a row limit read. */
export async function readBefore(
  { state }: { readonly state: Pick<StateStore, "runs" | "tally"> },
  run: Parameters<typeof lastCompleted>[1],
): Promise<number | undefined> {
  const found = await lastCompleted({ state }, run, { isWhole: true });
  if (found === undefined) return undefined;
  return (await state.tally({ runId: found.runId, staged: false })).read;
}
