import {
  drainBusyRestMs,
  drainRestMs,
  drainRestMsMax,
  resendLookMs,
  resendPauseMsMax,
} from "../src/limits.ts";
import type { RunReport } from "../src/report/report.ts";
import type { Rest } from "./inbox/drain-input.ts";

/** How a run ended, as far as it says whether its sync rests. */
export type RunEnd = Pick<RunReport, "outcome"> & {
  readonly error?: RunReport["error"];
  /** Rows that it read; undefined for a run that was never opened. */
  readonly read?: number | undefined;
};

/** Characters kept of why a sync rests. */
const whyCharsMax = 500;

/** The rest of a sync after a run of it, which was begun because something was unread; undefined when it goes on at once. */
export function restAfter(
  { outcome, error, read }: RunEnd,
  before: Rest | undefined,
  nowMs: number,
): Rest | undefined {
  const isDone = outcome === "done" || outcome === "done_with_rejects";
  if (isDone && read !== 0) return undefined;
  const text = error?.message ?? `its run ended as ${outcome} and read nothing`;
  const why = text.slice(0, whyCharsMax);
  const failures = before?.failures ?? 0;
  // Somebody else sends it, or has just done so: that is no failure, and may be over any moment.
  if (isDone || outcome === "busy") return { until: nowMs + drainBusyRestMs, failures, why };
  const restMs = Math.min(drainRestMsMax, drainRestMs * 2 ** failures);
  return { until: nowMs + restMs, failures: failures + 1, why };
}

/** What of a sync is in doubt, as far as it says when to look again. */
type Doubtful = { readonly due: number; readonly waitMs?: number | undefined };

/**
 * When to look again for what is in doubt, in ms, and how many runs in a row have not helped. A run that is done has not helped either where
 * the service refused its records, or their lines are on another host.
 */
export function nextLook(
  before: Pick<Doubtful, "due">,
  { due, waitMs = resendLookMs }: Doubtful,
  failuresBefore: number,
): { readonly failures: number; readonly pauseMs: number } {
  const failures = due > 0 && due >= before.due ? failuresBefore + 1 : 0;
  const restMs = due > 0 ? Math.min(resendPauseMsMax, resendLookMs * failures) : waitMs;
  return { failures, pauseMs: Math.max(1_000, restMs) };
}
