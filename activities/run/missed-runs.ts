import type { ScheduleConfig } from "../../src/config/schema/schedule.ts";
import { missedRuns, missedWarning } from "../../src/schedules/missed.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import type { Dependencies } from "../dependencies.ts";

/** Runs that are searched for the last one that did something, and for those in between. */
const runsLookedAtMax = 100;

/**
 * Warns of the runs that the schedule of a sync or pull asked for since the last one that did something, and that did
 * not happen: Temporal keeps no trace of them. Nothing is known before the first run.
 */
export async function warnOfMissedRuns(
  { scheduleState, state }: Pick<Dependencies, "scheduleState" | "state">,
  run: Run,
  schedule: ScheduleConfig | undefined,
): Promise<void> {
  if (schedule === undefined) return;
  // A schedule begins runs of one kind: any number of replays may be among them.
  const runs = await state.runs({ sync: run.sync, kinds: [run.kind], limit: runsLookedAtMax });
  const others = runs.filter(({ runId, target }) => runId !== run.runId && target === run.target);
  const last = others.find(({ outcome }) => outcome !== "busy");
  if (last === undefined) return;
  const seen = { run, last, others };
  if (missedRuns(schedule, seen).times.length === 0) return;
  const temporal = await scheduleState(run.sync);
  const since = "since" in temporal ? temporal.since : undefined;
  const missed = missedRuns(schedule, { ...seen, since });
  const warning = missedWarning(missed, schedule, temporal);
  if (warning === undefined) return;
  await state.addWarnings({ runId: run.runId, warnings: [warning] });
}
