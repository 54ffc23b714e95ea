import type { ScheduleConfig } from "../config/schema/schedule.ts";
import { nextTimes } from "./fire-times.ts";
import { clockChangesWeeksMax } from "./limits.ts";
import { offsetMinutes } from "./local-time.ts";

const minuteMs = 60_000;
const weekMs = 7 * 24 * 60 * minuteMs;

/** How a change of the clocks affects a schedule. */
export type ClockChange = {
  /** The first affected time, as clocks show it: `2027-03-28 02:30`. */
  readonly at: string;
  readonly effect: "left_out" | "shown_twice";
};

/** The first minute at which a zone's offset is no longer that at `from`; undefined if it is still the same at `to`. */
function changeBetween(from: Date, to: Date, timeZone: string): Date | undefined {
  const before = offsetMinutes(from, timeZone);
  if (offsetMinutes(to, timeZone) === before) return undefined;
  let [low, high] = [from.getTime(), to.getTime()];
  while (high - low > minuteMs) {
    const middle = low + Math.floor((high - low) / 2 / minuteMs) * minuteMs;
    if (offsetMinutes(new Date(middle), timeZone) === before) low = middle;
    else high = middle;
  }
  return new Date(high);
}

/** The first time of a cron among those that a change of the clocks leaves out or repeats. */
function concerned({ cron, timeZone }: ScheduleConfig, change: Date): ClockChange | undefined {
  const before = offsetMinutes(new Date(change.getTime() - minuteMs), timeZone);
  const after = offsetMinutes(change, timeZone);
  // Treats clock time as UTC, where each time comes once.
  const from = change.getTime() + Math.min(before, after) * minuteMs;
  const to = change.getTime() + Math.max(before, after) * minuteMs;
  const justBefore = new Date(from - 1);
  const [time] = nextTimes({ cron, timeZone: "UTC" }, { after: justBefore, count: 1 });
  if (time === undefined || time.getTime() >= to) return undefined;
  const at = time.toISOString().slice(0, 16).replace("T", " ");
  return { at, effect: after > before ? "left_out" : "shown_twice" };
}

/**
 * How the changes of the clocks in the coming year affect a schedule, which Temporal compares with what
 * clocks show: a time that they leave out never comes, one that they show twice may come twice. Empty for
 * a schedule that runs in every hour.
 */
export function clockChanges(schedule: ScheduleConfig, now: Date): readonly ClockChange[] {
  if (schedule.cron.split(" ")[1] === "*") return [];
  const start = Math.floor(now.getTime() / minuteMs) * minuteMs;
  const changes: ClockChange[] = [];
  // No zone changes its clocks twice in a week.
  for (let week = 0; week < clockChangesWeeksMax; week++) {
    const [from, to] = [new Date(start + week * weekMs), new Date(start + (week + 1) * weekMs)];
    const change = changeBetween(from, to, schedule.timeZone);
    const found = change === undefined ? undefined : concerned(schedule, change);
    if (found !== undefined) changes.push(found);
  }
  return changes;
}
