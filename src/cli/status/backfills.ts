import { reportOfRun } from "../../report/of-run.ts";
import type { RunReport } from "../../report/report.ts";
import type { StateStore } from "../../state/state-store.ts";
import { grouped } from "../../text/quantities.ts";

/** Open runs that are looked through. */
const openRunsMax = 1_000;

/** The backfills at this target that have not ended, as they are now. */
export async function openBackfills(
  state: StateStore,
  target: string,
): Promise<readonly RunReport[]> {
  const open = await state.runs({ isOpen: true, limit: openRunsMax });
  const backfills = open.filter((run) => run.kind === "backfill" && run.target === target);
  return await Promise.all(backfills.map(async (run) => await reportOfRun(state, run)));
}

/** A backfill that has not ended, in a line. */
export function backfillText({ run_id: id, sync, counts, started_at: from }: RunReport): string {
  const [read, sent] = [grouped(counts.read), grouped(counts.sent)];
  return `backfill ${id} of ${sync} since ${from}: read ${read}, sent ${sent}`;
}
