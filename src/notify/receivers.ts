import type { NotifyConfig } from "../config/schema/notify.ts";
import type { RunReport } from "../report/report.ts";
import type { Outcome } from "../state/contract/runs/runs.ts";

/** Outcomes that are a failure. A person cancels or discards; what is busy is told of by the run that it met. */
const failures: readonly Outcome[] = ["failed", "credits_exhausted", "abandoned"];

const heard: Readonly<Record<NotifyConfig["on"], (outcome: Outcome) => boolean>> = {
  failed: (outcome) => failures.includes(outcome),
  done_with_rejects: (outcome) => outcome === "done_with_rejects" || failures.includes(outcome),
  always: () => true,
};

/** Input of the workflow `notify`: a run, and the receivers that are to hear of it. */
export type NotifyInput = { readonly run_id: string; readonly targets: readonly string[] };

/** The id of the workflow that tells of a run: one a run, whoever starts it. */
export function notificationId(runId: string): string {
  return `notify-${runId}`;
}

/**
 * Who is to hear of a run; nobody of one that continues, or of a dry run, at which a person looks. A drain,
 * of which there may be several a second, is told of when it failed only.
 */
export function receiversOf(
  receivers: readonly NotifyConfig[],
  { kind, outcome, dry_run: isDry }: Pick<RunReport, "dry_run" | "kind" | "outcome">,
): readonly NotifyConfig[] {
  if (outcome === "running" || isDry) return [];
  if (kind === "inbox" && !failures.includes(outcome)) return [];
  return receivers.filter(({ on }) => heard[on](outcome));
}
