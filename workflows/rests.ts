import { drainBusyRestMs, drainRestMs, drainRestMsMax } from "../src/limits.ts";
import type { RunReport } from "../src/report.ts";
import type { Rest } from "./drain-input.ts";

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
