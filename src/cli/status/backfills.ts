import { reportOfRun } from "../../report/of-run.ts";
import type { RunReport } from "../../report/report.ts";
import type { Run } from "../../state/contract/runs/runs.ts";
import type { StateStore } from "../../state/state-store.ts";
import { grouped } from "../../text/quantities.ts";

/** The backfills at this target among the open runs, as they are now. */
export async function openBackfills(
  state: StateStore,
  openRuns: readonly Run[],
  target: string,
): Promise<readonly RunReport[]> {
  const backfills = openRuns.filter((run) => run.kind === "backfill" && run.target === target);
  return await Promise.all(backfills.map(async (run) => await reportOfRun(state, run)));
}

/** A backfill that has not ended, in one line. */
export function backfillText({ run_id: id, sync, counts, started_at: from }: RunReport): string {
  const [read, sent] = [grouped(counts.read), grouped(counts.sent)];
  return `backfill ${id} of ${sync} since ${from}: read ${read}, sent ${sent}`;
}
