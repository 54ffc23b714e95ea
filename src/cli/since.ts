import { InvalidArgumentError } from "commander";

import { duration } from "../config/schema/units.ts";

const isoForm = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/** Returns a time in the past, as ISO 8601 in UTC. `nowMs` is by the clock of the store that it is for, in Unix ms. */
export type PastTime = (nowMs: number) => string;

/** Whether a text begins with a day of the calendar: `Date.parse` takes 30 February for 2 March. */
export function isDay(text: string): boolean {
  const day = text.slice(0, "2026-11-20".length);
  const ms = Date.parse(day);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}

/**
 * Reads a time in the past from the command line: how long ago (`7d`, `12h`), or a date or time, which is in UTC if it
 * names no zone.
 * @throws {InvalidArgumentError} it is neither.
 */
export function since(text: string): PastTime {
  const ago = duration().safeParse(text);
  if (ago.success) return (nowMs) => new Date(nowMs - ago.data).toISOString();
  const isZoned = /(?:Z|[+-]\d\d:\d\d)$/.test(text) || !text.includes("T");
  const at =
    isoForm.test(text) && isDay(text) ? Date.parse(isZoned ? text : `${text}Z`) : Number.NaN;
  if (!Number.isNaN(at)) return () => new Date(at).toISOString();
  throw new InvalidArgumentError("must be a time: 7d, 12h, 2026-11-20 or 2026-11-20T02:30Z");
}
