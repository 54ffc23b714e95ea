import type { ScheduleConfig } from "../config/schema/schedule.ts";
import type { Run } from "../state/contract/runs/runs.ts";
import { plainText } from "../text/plain-text.ts";
import { nextTimes } from "./fire-times.ts";
import { missedRunsNamedMax, missedAfterMs, missedRunsCountedMax } from "./limits.ts";
import { clockText } from "./local-time.ts";

type Kept = { readonly kind: "on" | "paused"; readonly note: string | undefined };
type Missing = { readonly kind: "none" } | { readonly kind: "unknown" };

/** What Temporal says of the schedule of a sync or pull, as its list has it. */
export type ListedState = Kept | Missing;

/** The same where Temporal is asked for the one schedule; `since`: when it was last given it. */
export type ScheduleState = (Kept & { readonly since: Date }) | Missing;

/** A run, as far as it matters here. */
type Begun = Pick<Run, "endedAt" | "nominalAt" | "runId" | "startedAt">;

/** Runs that a schedule wanted and that did not happen. */
export type Missed = {
  /** Their times, the first `missedRunsCountedMax`. */
  readonly times: readonly Date[];
  /** The run that was still running at the first of them, so that Temporal left it out. */
  readonly during: string | undefined;
};

/** The time before which what a schedule wanted has begun, or will not, when a run starts. */
function settled({ startedAt }: Begun): Date {
  return new Date(Date.parse(startedAt) - missedAfterMs);
}

/** Whether a time is one that a schedule names. */
function isOf(schedule: ScheduleConfig, time: Date): boolean {
  const justBefore = new Date(time.getTime() - 1);
  return nextTimes(schedule, { after: justBefore, until: time, count: 1 }).length > 0;
}

/**
 * The runs that a schedule wanted between the run before and this one, less those that happened. What is so
 * close to either that it may only begin late is left to the run after it: each is found once. `others` are
 * the runs before, `last` included. At `since` Temporal was last given the schedule: before, it was another
 * or none, unless it has started a run at one of its times.
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
  // Of a time that clocks show twice, Temporal may take either, or both.
  const happened = new Set(nominal.map((time) => clock(new Date(time))));
  const count = missedRunsCountedMax + happened.size;
  const starts = nominal.map((time) => new Date(time)).filter((time) => isOf(schedule, time));
  const madeAt = Math.min(since.getTime(), ...starts.map((time) => time.getTime()));
  const after = new Date(Math.max(settled(last).getTime(), madeAt));
  const wanted = nextTimes(schedule, { after, until: settled(run), count });
  const times = wanted.filter((time) => !happened.has(clock(time))).slice(0, missedRunsCountedMax);
  const first = times[0]?.toISOString() ?? "";
  const during = others.find(
    ({ startedAt, endedAt }) => startedAt <= first && first <= (endedAt ?? run.startedAt),
  );
  return { times, during: during?.runId };
}

/** How a schedule that was resumed begins its note. */
const resumed = "resumed ";

/** The note of a schedule that is resumed, which keeps why it was paused. */
export function resumedNote(at: Date, pausedNote: string | undefined): string {
  return `${resumed}${at.toISOString().slice(0, 16)}Z; paused ${pausedNote ?? ""}`;
}

/** Whether a note tells of a pause that ended after a time. */
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

/** Missed runs as a report names them; undefined when there are none. */
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
