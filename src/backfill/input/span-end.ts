import { didYouMean } from "../../config/did-you-mean.ts";
import { spanEndCharsMax } from "../../limits.ts";
import { plainText } from "../../text/plain-text.ts";
import { quoted } from "./faults.ts";
import type { SpanEnd } from "./request.ts";
import { midnightBefore, timeAtClock, timeText, zoneNamed } from "./time.ts";
import type { ReadTime } from "./time.ts";

/** What an end of a span is read by. */
export type EndAsk = {
  readonly member: "from" | "to";
  /** The zone of times that name none. */
  readonly timeZone: string;
  readonly now: Date;
};

/** An end of a span, or why it is none, and what may have been meant. */
export type ReadEnd =
  | { readonly end: SpanEnd }
  | { readonly fault: string; readonly instead?: string };

/** Reads a text in one form; undefined when it is in another. */
type Reader = (text: string, ask: EndAsk) => ReadEnd | undefined;

/** Years that are taken for no slip of the keyboard (our choice). */
const [yearMin, yearMax] = [1900, 2999];

/** What a day, a week and so on last; a month is told in days. */
const unitsMs: ReadonlyMap<string, number> = new Map([
  ["minute", 60_000],
  ["hour", 3_600_000],
]);
const unitsDays: ReadonlyMap<string, number> = new Map([
  ["day", 1],
  ["week", 7],
  ["month", 30],
  ["year", 365],
]);

/** A date, with or without a time, which may have an offset, and a time zone, as in what is read back. */
const dated =
  /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[t\s]\s*(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:\s*(z|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?))?)?(?:\s+([a-z][^\s:]*))?$/i;

function timeEnd({ time, text }: ReadTime, { member }: EndAsk): ReadEnd {
  return { end: { time, text: member === "to" ? `before ${text}` : text } };
}

function placeEnd(place: string, { member }: EndAsk): ReadEnd {
  return { end: { place, text: member === "to" ? `before ${place}` : place } };
}

/** An offset such as +02:00 in ms. */
function offsetMs(written: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)?$/.exec(written) ?? [];
  const ahead = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  return sign === "-" ? -ahead : ahead;
}

function readDate(text: string, ask: EndAsk): ReadEnd | undefined {
  const match = dated.exec(text);
  if (match === null) return undefined;
  const [, year = "", month = "", day = "", hour = "0", minute = "0"] = match;
  const [second = "0", fraction = "", offset, zone] = match.slice(6);
  const numbers = [year, month, day, hour, minute, second].map(Number);
  const [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = numbers;
  const wholeMs = Date.UTC(years, months - 1, days, hours, minutes, seconds);
  const isReal = new Date(wholeMs)
    .toISOString()
    .startsWith(
      `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}T${hour.padStart(2, "0")}:${minute.padStart(2, "0")}:${second.padStart(2, "0")}.`,
    );
  if (!isReal) {
    return {
      fault: `${quoted(text)} is in no calendar: write a date such as 2026-10-01, or a time such as 2026-10-01T14:30`,
    };
  }
  if (years < yearMin || years > yearMax) {
    const way = ask.member === "from" ? "the beginning" : "the end";
    return {
      fault: `must lie in the years ${String(yearMin)} to ${String(yearMax)}: leave it out for ${way} of the source`,
    };
  }
  const timeZone = zone === undefined ? ask.timeZone : zoneNamed(zone);
  if (timeZone === undefined) {
    return {
      fault: `no time zone is called ${quoted(zone ?? "")}: write one such as Europe/Paris, or none`,
    };
  }
  const clockMs = wholeMs + Number(fraction.slice(0, 3).padEnd(3, "0"));
  if (offset === undefined) return timeEnd(timeAtClock(clockMs, timeZone), ask);
  const time = new Date(clockMs - offsetMs(offset));
  return timeEnd({ time, text: timeText(time, timeZone) }, ask);
}

function readWord(text: string, ask: EndAsk): ReadEnd | undefined {
  const { now, timeZone } = ask;
  const word = text.toLowerCase();
  if (word === "now") return timeEnd({ time: now, text: timeText(now, timeZone) }, ask);
  if (word !== "today" && word !== "yesterday") return undefined;
  const days = word === "today" ? 0 : 1;
  return timeEnd(timeAtClock(midnightBefore(now, { days, timeZone }), timeZone), ask);
}

function readLast(text: string, ask: EndAsk): ReadEnd | undefined {
  const match = /^(?:last|past)\s+([1-9]\d{0,3})\s+([a-z]+?)s?$/i.exec(text);
  if (match === null) return undefined;
  const { now, timeZone } = ask;
  const [count, unit] = [Number(match[1]), String(match[2]).toLowerCase()];
  const [ms, unitDays] = [unitsMs.get(unit), unitsDays.get(unit)];
  if (ms === undefined && unitDays === undefined) return undefined;
  if (ask.member === "to") {
    return { fault: `${quoted(text)} says where a span begins: move it to from`, instead: "now" };
  }
  if (ms !== undefined) {
    const time = new Date(now.getTime() - count * ms);
    return timeEnd({ time, text: timeText(time, timeZone) }, ask);
  }
  const days = count * (unitDays ?? 1);
  if (unit === "month" || unit === "year") {
    const instead = `last ${String(Math.min(days, 9_999))} days`;
    return {
      fault: `counts in hours, days or weeks, because a ${unit} may be of any length: write "${instead}"`,
      instead,
    };
  }
  return timeEnd(timeAtClock(midnightBefore(now, { days, timeZone }), timeZone), ask);
}

/** 1/10/2026 is a day in January to some, and in October to others. */
function readDayFirst(text: string): ReadEnd | undefined {
  if (!/^\d{1,2}[-/.]\d{1,2}[-/.]\d{4}(?:\s|$)/.test(text)) return undefined;
  return { fault: `${quoted(text)} may be two days: write the year first, such as 2026-10-01` };
}

function readPlace(text: string, ask: EndAsk): ReadEnd | undefined {
  const [, word, digits] = /^(line|byte)\s+(\d{1,15})$/i.exec(text) ?? [];
  if (word !== undefined) return placeEnd(`${word.toLowerCase()} ${String(Number(digits))}`, ask);
  if (/^-?\d{1,18}(?:\.\d{1,9})?$/.test(text)) return placeEnd(text, ask);
  return isLineOfFile(text) ? placeEnd(text, ask) : undefined;
}

/** Whether it is a place such as `accounts.csv:120`: "noon:30" may be, "tomorrow 14:30" is none. */
function isLineOfFile(text: string): boolean {
  const [, file = ""] = /^(.+):\d{1,15}$/.exec(text) ?? [];
  if (file.includes("://")) return false;
  return /\s/.test(file) ? /\.[a-z][a-z0-9]{0,9}$/i.test(file) : /\p{L}/u.test(file);
}

const readers: readonly Reader[] = [readDate, readWord, readLast, readDayFirst, readPlace];

/** Reads what a person gave for `from` or `to`. */
export function readSpanEnd(value: unknown, ask: EndAsk): ReadEnd {
  const { member } = ask;
  const words = member === "from" ? ["yesterday", "today"] : ["now", "today", "yesterday"];
  const examples = member === "from" ? `"last 30 days", "yesterday"` : `"today", "now"`;
  const forms = `a date such as 2026-10-01, a time such as 2026-10-01T14:30, ${examples}, or a place such as "line 48211"`;
  if (typeof value === "number") {
    const text = String(value);
    const isExact = !Number.isInteger(value) || Number.isSafeInteger(value);
    return (
      (isExact ? readPlace(text, ask) : undefined) ?? {
        fault: `no number is kept so exactly: write it in quotes, or ${forms}`,
      }
    );
  }
  if (typeof value !== "string") return { fault: `must be ${forms}, in quotes` };
  // What steers a terminal stands in no time and in no place.
  const isPlain = value.length <= spanEndCharsMax && plainText(value) === value;
  for (const read of isPlain ? readers : []) {
    const end = read(value, ask);
    if (end !== undefined) return end;
  }
  return {
    fault: `${quoted(value)} is neither ${forms.replace(", or", " nor")}${didYouMean(value.slice(0, spanEndCharsMax), words)}`,
  };
}
