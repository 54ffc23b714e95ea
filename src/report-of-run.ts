import { reportReasonsMax } from "./limits.ts";
import { buildReport, type RunReport } from "./report.ts";
import type { Run } from "./state/runs.ts";
import type { StateStore } from "./state/state-store.ts";

/** The report of a run: as it closed, or as it stands while it goes on. */
export async function reportOfRun(state: StateStore, run: Run): Promise<RunReport> {
  const { runId } = run;
  const tally = await state.tally({ runId, staged: run.request.dryRun === true });
  const reasons = await state.rejectReasons({ runId, limit: reportReasonsMax });
  const pull = await state.pullTally({ runId });
  return buildReport({ run, tally, reasons, pull });
}
