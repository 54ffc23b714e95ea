import { Cron } from "croner";

import type { ScheduleConfig } from "../config/schema/schedule.ts";
import { clockChangeMsMax } from "./limits.ts";
import { offsetMinutes } from "./local-time.ts";

const minuteMs = 60_000;

/**
 * The time at which the zone's clocks show `clock`, given as if it were UTC; undefined if they leave it
 * out. If there are two such times, the one that Temporal's server takes, whose Go finds it in these two steps.
 */
function timeAt(clock: Date, timeZone: string): Date | undefined {
  const shifted = (offset: number): Date => new Date(clock.getTime() - offset * minuteMs);
  const offset = offsetMinutes(shifted(offsetMinutes(clock, timeZone)), timeZone);
  const time = shifted(offset);
  return offsetMinutes(time, timeZone) === offset ? time : undefined;
}

/**
 * The next times of a schedule after `after`, `count` of them or those up to `until`, without the jitter.
 * Each clock time comes once. Croner alone would move a time that a change of the clocks leaves out; Temporal
 * does not.
 */
export function nextTimes(
  { cron, timeZone }: ScheduleConfig,
  {
    after,
    count,
    until,
  }: { readonly after: Date; readonly count: number; readonly until?: Date | undefined },
): readonly Date[] {
  const clocks = new Cron(cron, { mode: "5-part", timezone: "UTC" });
  const start = after.getTime() + offsetMinutes(after, timeZone) * minuteMs - clockChangeMsMax;
  const times: Date[] = [];
  let clock = clocks.nextRun(new Date(start));
  for (; clock !== null && times.length < count; clock = clocks.nextRun(clock)) {
    const time = timeAt(clock, timeZone);
    if (time === undefined || time <= after) continue;
    if (until !== undefined && time > until) break;
    times.push(time);
  }
  return times;
}
