import type { ScheduleConfig } from "../config/schedule.ts";
import { missedAfterMs, missedRunsCountedMax } from "../limits.ts";
import type { RunReport } from "../report.ts";
import { nextTimes } from "../schedules/fire-times.ts";
import type { OpenRun } from "./open-runs.ts";

/** A configured sync or pull, as far as its status goes. */
export type Transfer = {
  readonly name: string;
  readonly kind: "sync" | "pull";
  readonly schedule: ScheduleConfig | undefined;
};

/** What is not as it should be, and what to do about it. */
export type Problem = { readonly text: string; readonly hint?: string | undefined };

/** How a sync or pull stands. */
export type TransferStatus = Transfer & {
  /** The report of its newest run; undefined before the first. */
  readonly last: RunReport | undefined;
  readonly next: Date | undefined;
  /** What its run waits for; undefined while it moves, or when none goes on. */
  readonly waiting: string | undefined;
  readonly problem: Problem | undefined;
};

/** What of a run that has not ended is not as it should be. `open` is undefined when Temporal did not tell. */
function problemOfOpen(transfer: Transfer, open: OpenRun | undefined): Problem | undefined {
  if (open === undefined) {
    const hint = "is its server running? `sluice doctor`";
    return { text: "Temporal does not say how far it is", hint };
  }
  if (open.isWorkflowOpen) return undefined;
  const hint =
    transfer.kind === "sync"
      ? `\`sluice run ${transfer.name}\``
      : `\`sluice pull ${transfer.name}\``;
  return { text: "its workflow is gone, nobody goes on with it", hint };
}

/** Scheduled times that went by since the last run. */
function overdue({ schedule }: Transfer, last: RunReport, now: Date): Problem | undefined {
  if (schedule === undefined) return undefined;
  const until = new Date(now.getTime() - missedAfterMs);
  const after = new Date(last.started_at);
  const { length } = nextTimes(schedule, { after, until, count: missedRunsCountedMax });
  if (length === 0) return undefined;
  const runs = `${length} scheduled run${length === 1 ? "" : "s"} did not happen since`;
  return { text: runs, hint: "is a worker running? `sluice schedule list`" };
}

function problemOfEnded(last: RunReport): Problem | undefined {
  const { error, counts, run_id: runId } = last;
  if (error !== undefined) return { text: error.message, hint: error.hint };
  if (counts.rejected > 0) {
    const rows = `${counts.rejected} row${counts.rejected === 1 ? "" : "s"} rejected`;
    return { text: rows, hint: `\`sluice rejects list --run ${runId}\`` };
  }
  const [warning] = last.warnings;
  return warning === undefined
    ? undefined
    : { text: warning, hint: `\`sluice runs show ${runId}\`` };
}

/** How a sync or pull stands at a time, from the report of its newest run and what Temporal says of it while it goes on. */
export function statusOf(
  transfer: Transfer,
  seen: { readonly last: RunReport | undefined; readonly open: OpenRun | undefined },
  now: Date,
): TransferStatus {
  const { last, open } = seen;
  const { schedule } = transfer;
  const [next] = schedule === undefined ? [] : nextTimes(schedule, { after: now, count: 1 });
  const common = { ...transfer, last, next, waiting: open?.waiting };
  if (last === undefined) return { ...common, problem: undefined };
  if (last.outcome === "running") return { ...common, problem: problemOfOpen(transfer, open) };
  return { ...common, problem: problemOfEnded(last) ?? overdue(transfer, last, now) };
}
