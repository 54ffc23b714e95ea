import type { ScheduleConfig } from "../config/schema/schedule.ts";
import type { Run } from "../state/contract/runs/runs.ts";
import { plainText } from "../text/plain-text.ts";
import { nextTimes } from "./fire-times.ts";
import { missedRunsNamedMax, missedAfterMs, missedRunsCountedMax } from "./limits.ts";
import { clockText } from "./local-time.ts";

type Kept = {
  readonly kind: "on" | "paused";
  readonly note: string | undefined;
  /** When Temporal last received it. @default its list does not say */
  readonly since?: Date | undefined;
};
type Missing = { readonly kind: "none" } | { readonly kind: "unknown" };

/** The state of the schedule of a sync or pull, as Temporal's list has it. */
export type ListedState = Kept | Missing;

/** The same from a request for the one schedule. */
export type ScheduleState = (Kept & { readonly since: Date }) | Missing;

/** The facts about a run that matter here. */
type Begun = Pick<Run, "endedAt" | "nominalAt" | "runId" | "startedAt">;

/** Runs that a schedule wanted but that did not happen. */
export type Missed = {
  /** Their times, at most the first `missedRunsCountedMax`. */
  readonly times: readonly Date[];
  /** The run of the schedule that was still going at the first of these times, so that Temporal skipped it. */
  readonly during: string | undefined;
};

/** As of a run's start: runs wanted before this time have begun or never will. */
function settled({ startedAt }: Begun): Date {
  return new Date(Date.parse(startedAt) - missedAfterMs);
}

/** Whether a time is one of a schedule's. */
export function isOf(schedule: ScheduleConfig, time: Date): boolean {
  const justBefore = new Date(time.getTime() - 1);
  return nextTimes(schedule, { after: justBefore, until: time, count: 1 }).length > 0;
}

/**
 * The runs that a schedule wanted between the previous run and this one, without those that happened. A time so
 * close to either run that it may still begin late is left to the next run, so each is found once. `others` are
 * the earlier runs, including `last`. `since` is when Temporal last received the schedule: before, it had another
 * or none, unless it has started a run at one of the schedule's times.
 */
export function missedRuns(
  schedule: ScheduleConfig,
  {
    run,
    last,
    others,
    since = settled(last),
  }: {
    readonly run: Begun;
    readonly last: Begun;
    readonly others: readonly Begun[];
    readonly since?: Date | undefined;
  },
): Missed {
  const clock = (time: Date): string => clockText(time, schedule.timeZone);
  const nominal = [run, ...others].flatMap(({ nominalAt }) => nominalAt ?? []);
  // For a time that clocks show twice, Temporal may take either instant, or both.
  const happened = new Set(nominal.map((time) => clock(new Date(time))));
  const count = missedRunsCountedMax + happened.size;
  const starts = nominal.map((time) => new Date(time)).filter((time) => isOf(schedule, time));
  const madeAt = Math.min(since.getTime(), ...starts.map((time) => time.getTime()));
  const after = new Date(Math.max(settled(last).getTime(), madeAt));
  const wanted = nextTimes(schedule, { after, until: settled(run), count });
  const times = wanted.filter((time) => !happened.has(clock(time))).slice(0, missedRunsCountedMax);
  const first = times[0]?.toISOString() ?? "";
  // Temporal skips a time beside a run of the same schedule alone: beside others it starts one, which ends as busy.
  const during = others
    .filter(({ nominalAt }) => nominalAt !== null)
    .find(({ startedAt, endedAt }) => startedAt <= first && first <= (endedAt ?? run.startedAt));
  return { times, during: during?.runId };
}

/** The start of the note of a schedule that was resumed. */
const resumed = "resumed ";

/** The note of a resumed schedule, which keeps the reason for the pause. */
export function resumedNote(at: Date, pausedNote: string | undefined): string {
  return `${resumed}${at.toISOString().slice(0, 16)}Z; paused ${pausedNote ?? ""}`;
}

/** Whether a note records a pause that ended after a time. */
function endedAfter(note: string, time: Date): boolean {
  if (!note.startsWith(resumed)) return false;
  const [at = ""] = note.slice(resumed.length).split(";");
  return Date.parse(at) >= time.getTime();
}

function whyOf({ times: [first], during }: Missed, state: ScheduleState): string {
  if (during !== undefined) return `; run ${during} was still running`;
  if (state.kind === "unknown") return "";
  if (state.kind === "none") return "; Temporal has no schedule for it: `sluice schedule apply`";
  const note = plainText(state.note ?? "");
  if (state.kind === "paused") return `; its schedule is paused${note === "" ? "" : `: ${note}`}`;
  return first !== undefined && endedAfter(note, first) ? `; its schedule was ${note}` : "";
}

/** The warning of a report about missed runs; undefined if there are none. */
export function missedWarning(
  missed: Missed,
  { timeZone }: ScheduleConfig,
  state: ScheduleState,
): string | undefined {
  const { times } = missed;
  if (times.length === 0) return undefined;
  const named = times.slice(0, missedRunsNamedMax).map((time) => clockText(time, timeZone));
  const more = times.length - named.length;
  const count = `${times.length === missedRunsCountedMax ? "at least " : ""}${times.length}`;
  const rest = more === 0 ? "" : `, and ${more} more`;
  const runs = times.length === 1 ? "run" : "runs";
  return `${count} scheduled ${runs} did not happen: ${named.join(", ")}${rest} (${timeZone})${whyOf(missed, state)}`;
}
