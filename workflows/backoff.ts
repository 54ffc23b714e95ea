import type { RunReport } from "../src/report/report.ts";
import { outcomeText } from "../src/text/outcome-text.ts";
import type { Backoff } from "./inbox/drain-input.ts";
import {
  drainBusyBackoffMs,
  drainBackoffMs,
  drainBackoffMsMax,
  resendLookMs,
  resendPauseMsMax,
} from "./limits.ts";

/** How a run ended, as far as it decides whether its sync backs off. */
export type RunEnd = Pick<RunReport, "outcome"> & {
  readonly error?: RunReport["error"];
  /** Rows that it read; undefined for a run that was never opened. */
  readonly read?: number | undefined;
};

/** Characters kept of why a sync backs off. */
const whyCharsMax = 500;

/**
 * How long a sync backs off after a run that was begun because something was unread; undefined when it continues at
 * once.
 */
export function backOffAfter(
  { outcome, error, read }: RunEnd,
  before: Backoff | undefined,
  nowMs: number,
): Backoff | undefined {
  const isDone = outcome === "done" || outcome === "done_with_rejects";
  if (isDone && read !== 0) return undefined;
  const text = error?.message ?? `its run ended as ${outcomeText(outcome)} and read nothing`;
  const why = text.slice(0, whyCharsMax);
  const failures = before?.failures ?? 0;
  // Another run sends it, or has just done so: that is not a failure, and may be over any moment.
  if (isDone || outcome === "busy") return { until: nowMs + drainBusyBackoffMs, failures, why };
  const backoffMs = Math.min(drainBackoffMsMax, drainBackoffMs * 2 ** failures);
  return { until: nowMs + backoffMs, failures: failures + 1, why };
}

/** The doubts of a sync, as far as they decide when to look again. */
type Doubtful = { readonly due: number; readonly waitMs?: number | undefined };

/**
 * When to look again at the records in doubt, in ms, and how many runs in a row have not helped. A completed run has
 * not helped either where the service refused its records, or their lines are on another host.
 */
export function nextLook(
  before: Pick<Doubtful, "due">,
  { due, waitMs = resendLookMs }: Doubtful,
  failuresBefore: number,
): { readonly failures: number; readonly pauseMs: number } {
  const failures = due > 0 && due >= before.due ? failuresBefore + 1 : 0;
  const backoffMs = due > 0 ? Math.min(resendPauseMsMax, resendLookMs * failures) : waitMs;
  return { failures, pauseMs: Math.max(1_000, backoffMs) };
}
