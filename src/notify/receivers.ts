import type { NotifyConfig } from "../config/schema/notify.ts";
import type { RunReport } from "../report/report.ts";
import type { Outcome } from "../state/contract/runs/runs.ts";

/** Outcomes that are failures. A person cancels or discards; a busy run is covered by the run that it met. */
const failures: readonly (Outcome | "held")[] = ["failed", "credits_exhausted", "abandoned"];

/** A held run is as urgent as a failure: nothing is sent until somebody looks. */
function isFailure(outcome: Outcome | "held"): boolean {
  return outcome === "held" || failures.includes(outcome);
}

const heard: Readonly<Record<NotifyConfig["on"], (outcome: Outcome | "held") => boolean>> = {
  failed: isFailure,
  done_with_rejects: (outcome) => outcome === "done_with_rejects" || isFailure(outcome),
  always: () => true,
};

/** Input of the workflow `notify`: a run, and the receivers to notify. */
export type NotifyInput = {
  readonly run_id: string;
  readonly targets: readonly string[];
  /** The number of the hold to announce, in place of the run's end. */
  readonly hold?: number | undefined;
};

/** The id of the workflow that announces a run: one for its end and one for each hold, whoever starts it. */
export function notificationId(runId: string, hold?: number): string {
  return hold === undefined ? `notify-${runId}` : `notify-${runId}-held-${hold}`;
}

/**
 * The receivers to notify of a run; none for a run that continues. A drain, of which there may be several a second,
 * is announced only if it failed.
 */
export function receiversOf(
  receivers: readonly NotifyConfig[],
  { kind, outcome }: Pick<RunReport, "kind" | "outcome">,
): readonly NotifyConfig[] {
  if (outcome === "running") return [];
  if (kind === "inbox" && !failures.includes(outcome)) return [];
  return receivers.filter(({ on }) => heard[on](outcome));
}
