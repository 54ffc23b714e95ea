import { offsetMinutes, zonedText } from "../../schedules/local-time.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** An instant, and its text for a person. */
export type ReadTime = { readonly time: Date; readonly text: string };

/** Unix ms moved by the zone's offset: what its clocks show, as if it were UTC. */
function clockOf(ms: number, timeZone: string): number {
  return ms + offsetMinutes(new Date(ms), timeZone) * minuteMs;
}

/** The earliest and the latest instant at which the zone's clocks may show a time. */
function timesAround(clockMs: number, timeZone: string): readonly [number, number] {
  // No zone changes its clocks twice within two days.
  const offsets = [clockMs - dayMs, clockMs + dayMs].map((ms) => clockOf(ms, timeZone) - ms);
  return [clockMs - Math.max(...offsets), clockMs - Math.min(...offsets)];
}

function isShownTwice(clockMs: number, timeZone: string): boolean {
  const [first, last] = timesAround(clockMs, timeZone);
  return first < last && [first, last].every((ms) => clockOf(ms, timeZone) === clockMs);
}

/** `2026-11-22 02:30`, with seconds and their fraction only where there are any. */
function digits(clockMs: number): string {
  const text = new Date(clockMs).toISOString().replace("T", " ");
  return text.replace(/(?::00)?\.000Z$|Z$/, "");
}

/**
 * An instant as the zone's clocks show it: `2026-11-22 02:30 Europe/Paris`, with the offset if they show
 * it twice.
 */
export function timeText(time: Date, timeZone: string): string {
  const clock = clockOf(time.getTime(), timeZone);
  const offset = ` ${zonedText(time, timeZone).slice(-"+01:00".length)}`;
  return `${digits(clock)}${isShownTwice(clock, timeZone) ? offset : ""} ${timeZone}`;
}

/**
 * The first instant at which a zone's clocks show a time, given in ms as if it were UTC, or a later time.
 * The text says if a change of the clocks makes them show it twice or never.
 */
export function timeAtClock(clockMs: number, timeZone: string): ReadTime {
  let [before, ms] = timesAround(clockMs, timeZone);
  if (clockOf(before, timeZone) === clockMs) ms = before;
  while (ms - before > 1) {
    const middle = Math.floor((before + ms) / 2);
    if (clockOf(middle, timeZone) < clockMs) before = middle;
    else ms = middle;
  }
  const time = new Date(ms);
  const text = timeText(time, timeZone);
  if (clockOf(ms, timeZone) !== clockMs) {
    return { time, text: `${text} (clocks go forward and leave ${digits(clockMs)} out)` };
  }
  if (!isShownTwice(clockMs, timeZone)) return { time, text };
  return { time, text: `${text} (the earlier of two: clocks go back)` };
}

/** The midnight at which a zone's day begins, `days` days before the day of `now`; in ms as if it were UTC. */
export function midnightBefore(
  now: Date,
  { days, timeZone }: { readonly days: number; readonly timeZone: string },
): number {
  const clock = clockOf(now.getTime(), timeZone);
  return (Math.floor(clock / dayMs) - days) * dayMs;
}
