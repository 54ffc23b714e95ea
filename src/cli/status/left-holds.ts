import type { Config } from "../../config/config.ts";
import { openHold } from "../../state/contract/runs/holds.ts";
import type { Run } from "../../state/contract/runs/runs.ts";
import { heldLines } from "../../text/hold-text.ts";
import { heldHint, runnableSync, type Unsendable, whyUnsendable } from "../run/unsendable.ts";
import type { Told } from "../running/ask-temporal.ts";
import { minuteText, whyUnanswerable } from "./transfer.ts";

/** A held run that is the last run of nothing that is configured, for example of a sync that was renamed. */
export type LeftHold = {
  readonly runId: string;
  readonly sync: string;
  readonly target: string;
  /** ISO 8601. */
  readonly since: string;
  /** What it is held for, a line each. */
  readonly lines: readonly string[];
  /** Undefined if `sluice approve` sends it. */
  readonly unsendable: Unsendable | undefined;
};

/** Why a held run cannot be approved, and what to do; undefined if it can, as far as is known. */
export function whyNotApproved(
  run: Run,
  config: Config,
  { runs, elsewhere }: Pick<Told, "elsewhere" | "runs">,
): Unsendable | undefined {
  const seen = { open: runs.get(run.runId), isElsewhere: elsewhere.has(run.runId) };
  const sync = runnableSync(config, run);
  // A worker leaves the run of a configured sync at another Temporal to whoever needs its lock.
  const isLeft = seen.isElsewhere && sync === undefined && config.syncs.has(run.sync);
  const lost = isLeft ? undefined : whyUnanswerable(sync, seen);
  return lost ?? whyUnsendable(config, run);
}

/** The held ones among the open runs, without those that are shown with their sync; `shown` has the ids of these. */
export function leftHolds(
  openRuns: readonly Run[],
  config: Config,
  {
    shown,
    told,
  }: { readonly shown: ReadonlySet<string>; readonly told: Pick<Told, "elsewhere" | "runs"> },
): LeftHold[] {
  return openRuns.flatMap((run) => {
    const { runId, sync, target } = run;
    const hold = openHold(run);
    if (hold === undefined || shown.has(runId)) return [];
    const unsendable = whyNotApproved(run, config, told);
    return [{ runId, sync, target, since: hold.since, lines: heldLines(hold), unsendable }];
  });
}

/** The line for a person: which run, since when, why, what keeps it from being sent, and what to do. */
export function leftHoldLine({ runId, sync, since, lines, unsendable }: LeftHold): string {
  const why = [...lines, ...(unsendable === undefined ? [] : [unsendable.why])].join("; ");
  const held = `run ${runId} is held since ${minuteText(since)}: ${why}`;
  return `${sync}: ${held} → ${heldHint(runId, unsendable)}`;
}

/** The same for machines. */
export function leftHoldJson({ runId, sync, target, since, ...how }: LeftHold): object {
  const { lines, unsendable } = how;
  return {
    run_id: runId,
    sync,
    target,
    since,
    held_for: lines,
    // Null if it can be approved.
    not_sendable: unsendable?.why ?? null,
    hint: heldHint(runId, unsendable),
  };
}
