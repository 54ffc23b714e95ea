import { offsetMinutes, zonedText } from "../../schedules/local-time.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** An instant, and how it is read back to a person. */
export type ReadTime = { readonly time: Date; readonly text: string };

/** Unix ms moved by the zone's offset: what its clocks show, as if it were UTC. */
function clockOf(ms: number, timeZone: string): number {
  return ms + offsetMinutes(new Date(ms), timeZone) * minuteMs;
}

/** The zone's offsets around a clock's time, in ms. No zone changes its clocks twice within two days. */
function offsetsAround(clockMs: number, timeZone: string): readonly number[] {
  const around = [clockMs - dayMs, clockMs + dayMs];
  return around.map((ms) => clockOf(ms, timeZone) - ms);
}

/** When the zone's clocks show a time, the earliest first: never in a gap, twice where they go back. */
function timesShowing(clockMs: number, timeZone: string): readonly number[] {
  const times = offsetsAround(clockMs, timeZone).map((offset) => clockMs - offset);
  const shown = times.filter((ms) => clockOf(ms, timeZone) === clockMs);
  return [...new Set(shown)].toSorted((a, b) => a - b);
}

/** The first instant after the gap that leaves a clock's time out. */
function firstAfterGap(clockMs: number, timeZone: string): number {
  const offsets = offsetsAround(clockMs, timeZone);
  let [before, after] = [clockMs - Math.max(...offsets), clockMs - Math.min(...offsets)];
  const offset = clockOf(before, timeZone) - before;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (clockOf(middle, timeZone) - middle === offset) before = middle;
    else after = middle;
  }
  return after;
}

/** `2026-11-22 02:30`, with seconds and their fraction only where there are any. */
function digits(clockMs: number): string {
  const text = new Date(clockMs).toISOString().replace("T", " ");
  return text.replace(/(?::00)?\.000Z$|Z$/, "");
}

/** An instant as the zone's clocks show it: `2026-11-22 02:30 Europe/Paris`, with the offset where they show it twice. */
export function timeText(time: Date, timeZone: string): string {
  const clock = clockOf(time.getTime(), timeZone);
  const isShownOnce = timesShowing(clock, timeZone).length === 1;
  const offset = isShownOnce ? "" : ` ${zonedText(time, timeZone).slice(-"+01:00".length)}`;
  return `${digits(clock)}${offset} ${timeZone}`;
}

/**
 * The instant at which a zone's clocks show a time, which is given in ms as if it were UTC. Of two it takes the earlier one, in place
 * of none the first after the gap; either is told in the text.
 */
export function timeAtClock(clockMs: number, timeZone: string): ReadTime {
  const [first, second] = timesShowing(clockMs, timeZone);
  const time = new Date(first ?? firstAfterGap(clockMs, timeZone));
  const text = timeText(time, timeZone);
  if (first === undefined) {
    return { time, text: `${text} (clocks go forward and leave ${digits(clockMs)} out)` };
  }
  if (second === undefined) return { time, text };
  return { time, text: `${text} (the earlier of two: clocks go back)` };
}

/** The midnight as which a day of the zone begins, a number of days before that of `now`; in ms as if it were UTC. */
export function midnightBefore(
  now: Date,
  { days, timeZone }: { readonly days: number; readonly timeZone: string },
): number {
  const clock = clockOf(now.getTime(), timeZone);
  return (Math.floor(clock / dayMs) - days) * dayMs;
}

/** The name of a zone as it is written properly; undefined when no zone is called so. An offset such as +02:00 is no name. */
export function zoneNamed(name: string): string | undefined {
  if (!/^[a-z]/i.test(name)) return undefined;
  try {
    const known = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
    // Another name of the same zone, such as Asia/Kolkata, is a name as good.
    return known.toLowerCase() === name.toLowerCase() ? known : name;
  } catch {
    return undefined;
  }
}
