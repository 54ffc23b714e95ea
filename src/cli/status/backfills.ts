import { countsSoFar } from "../../report/counts.ts";
import { reportOfRun } from "../../report/of-run.ts";
import type { RunReport } from "../../report/report.ts";
import type { Run } from "../../state/contract/runs/runs.ts";
import type { StateStore } from "../../state/state-store.ts";
import { grouped } from "../../text/quantities.ts";
import type { Told } from "../running/ask-temporal.ts";
import { problemOfOpen, type TransferProblem } from "./transfer.ts";

/** A backfill that has not ended. */
export type BackfillStatus = {
  readonly report: RunReport;
  /** What it waits for; undefined while it progresses, or if none continues. */
  readonly waiting: string | undefined;
  readonly problem: TransferProblem | undefined;
};

/** Whether a run is a backfill at a target. */
export function isBackfillAt({ kind, target }: Run, at: string): boolean {
  return kind === "backfill" && target === at;
}

/** The backfills at this target among the open runs, as they are now. */
export async function openBackfills(
  state: StateStore,
  openRuns: readonly Run[],
  {
    target,
    told,
    workers,
  }: {
    readonly target: string;
    readonly told: Pick<Told, "asked" | "runs">;
    readonly workers: number;
  },
): Promise<readonly BackfillStatus[]> {
  const backfills = openRuns.filter((run) => isBackfillAt(run, target));
  return await Promise.all(
    backfills.map(async (run): Promise<BackfillStatus> => {
      const report = await reportOfRun(state, run);
      const open = told.runs.get(run.runId);
      const seen = { open, isAsked: told.asked.has(run.runId), workers };
      // A held one has a line of its own, which says what to do.
      const isHeld = report.outcome === "held";
      const problem = isHeld
        ? undefined
        : problemOfOpen({ name: run.sync, kind: "backfill" }, seen);
      return { report, waiting: open?.waiting, problem };
    }),
  );
}

/** A backfill that has not ended, in one line. */
export function backfillText({ report, waiting, problem }: BackfillStatus): string {
  const { run_id: id, sync, started_at: from } = report;
  const { read = 0, sent = 0 } = countsSoFar(report);
  const rows = `read ${grouped(read)}, sent ${grouped(sent)}`;
  const said = [rows, waiting, problem?.text].filter((text) => text !== undefined).join("; ");
  const hint = problem?.hint === undefined ? "" : ` → ${problem.hint}`;
  return `backfill ${id} of ${sync} since ${from}: ${said}${hint}`;
}
