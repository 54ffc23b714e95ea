import { didYouMean } from "../../config/messages/did-you-mean.ts";
import { zoneNamed } from "../../config/schema/time-zone.ts";
import { plainText } from "../../text/plain-text.ts";
import { spanEndCharsMax } from "../limits.ts";
import { quoted } from "./problem.ts";
import { midnightBefore, timeAtClock, timeText } from "./time.ts";

/** An end of a span as a person gave it: a time, or a place in the source's own terms, such as "line 48211". */
export type SpanEnd = {
  /**
   * As it was understood, to show to the person: "2026-10-23 00:00 Europe/Paris", "line 48211". An excluded
   * end says so: "before 2026-10-24 00:00 Europe/Paris".
   */
  readonly text: string;
} & ({ readonly time: Date } | { readonly place: string });

/** What is needed to read the ends of a span. */
export type SpanRequest = {
  /** The zone of times that do not name one. */
  readonly timeZone: string;
  readonly now: Date;
};

type EndRequest = SpanRequest & { readonly member: "from" | "to" };

/** Reads a text in one form, or says what is wrong with it; undefined if it is in another form. */
type Reader = (text: string, request: EndRequest) => SpanEnd | string | undefined;

/** Years outside these count as typing errors (our choice). */
const [yearMin, yearMax] = ["1900", "2999"];

const dayMs = 86_400_000;

/** How long a minute, an hour and so on last. */
const unitsMs: ReadonlyMap<string, number> = new Map([
  ["minute", 60_000],
  ["hour", 3_600_000],
  ["day", dayMs],
  ["week", 7 * dayMs],
  ["month", 30 * dayMs],
  ["year", 365 * dayMs],
]);

/** A date, optionally with a time, which may have an offset, and a time zone, as in the texts shown to a person. */
const dated = new RegExp(
  String.raw`^(?<year>\d{4})[-/.](?<month>\d{1,2})[-/.](?<day>\d{1,2})` +
    String.raw`(?:[t\s]\s*(?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?` +
    String.raw`(?:\s*(?<offset>z|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?))?)?(?:\s+(?<zone>[a-z][^\s:]*))?$`,
  "i",
);

function readDate(text: string, request: EndRequest): SpanEnd | string | undefined {
  const parts = dated.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const { year = "", fraction = "", offset, zone } = parts;
  const [month, day, hour, minute, second] = ["month", "day", "hour", "minute", "second"].map(
    (name) => (parts[name] ?? "0").padStart(2, "0"),
  );
  const ms = fraction.slice(0, 3).padEnd(3, "0");
  const clock = `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}`;
  const clockMs = Date.parse(`${clock}Z`);
  // Date.parse reads 30 February as 2 March.
  if (Number.isNaN(clockMs) || new Date(clockMs).toISOString() !== `${clock}Z`) {
    return `${quoted(text)} is in no calendar: write a date such as 2026-10-01, or a time such as 2026-10-01T14:30`;
  }
  if (year < yearMin || year > yearMax) {
    const way = request.member === "from" ? "the beginning" : "the end";
    return `must be in the years ${yearMin} to ${yearMax}: leave it out for ${way} of the source`;
  }
  const timeZone = zone === undefined ? request.timeZone : zoneNamed(zone);
  if (timeZone === undefined) {
    return `no time zone is called ${quoted(zone ?? "")}: write one such as Europe/Paris, or none`;
  }
  if (offset === undefined) return timeAtClock(clockMs, timeZone);
  const [, hours, minutes = "00"] = /^([+-]\d\d):?(\d\d)?$/.exec(offset) ?? [];
  const time = new Date(`${clock}${hours === undefined ? "Z" : `${hours}:${minutes}`}`);
  return { time, text: timeText(time, timeZone) };
}

function readWord(text: string, { now, timeZone }: EndRequest): SpanEnd | undefined {
  const word = text.toLowerCase();
  if (word === "now") return { time: now, text: timeText(now, timeZone) };
  const days = ["today", "yesterday"].indexOf(word);
  return days < 0 ? undefined : timeAtClock(midnightBefore(now, { days, timeZone }), timeZone);
}

/** The number and unit of a text such as "last 3 months". */
function lastOf(text: string) {
  const form = /^(?:last|past)\s+([1-9]\d{0,3})\s+([a-z]+?)s?$/;
  const [, count, unit = ""] = form.exec(text.toLowerCase()) ?? [];
  const unitMs = unitsMs.get(unit);
  return unitMs === undefined ? undefined : { unit, unitMs, ms: Number(count) * unitMs };
}

/** "last 90 days" for "last 3 months"; undefined for other texts. */
export function inDays(text: unknown): string | undefined {
  const last = typeof text === "string" ? lastOf(text) : undefined;
  if (last === undefined || last.unitMs <= 7 * dayMs) return undefined;
  return `last ${String(Math.min(last.ms / dayMs, 9_999))} days`;
}

function readLast(
  text: string,
  { member, now, timeZone }: EndRequest,
): SpanEnd | string | undefined {
  const last = lastOf(text);
  if (last === undefined) return undefined;
  if (member === "to") return `${quoted(text)} says where a span begins: move it to "from"`;
  const days = inDays(text);
  if (days !== undefined) {
    return `counts in hours, days or weeks, because a ${last.unit} may be of any length: write "${days}"`;
  }
  if (last.unitMs < dayMs) {
    const time = new Date(now.getTime() - last.ms);
    return { time, text: timeText(time, timeZone) };
  }
  return timeAtClock(midnightBefore(now, { days: last.ms / dayMs, timeZone }), timeZone);
}

/** Refuses dates that begin with the day: 1/10/2026 is in January to some, and in October to others. */
function readDayFirst(text: string): string | undefined {
  const isDayFirst = /^\d{1,2}[-/.]\d{1,2}[-/.]\d{4}(?:\s|$)/.test(text);
  const fault = `${quoted(text)} may be two days: write the year first, such as 2026-10-01`;
  return isDayFirst ? fault : undefined;
}

/** "line 48211", "byte 1000", a number, or `accounts.csv:120`: "noon:30" may be one, "tomorrow 14:30" is not. */
function readPlace(text: string): SpanEnd | undefined {
  const [, word, digits] = /^(line|byte)\s+(\d{1,15})$/i.exec(text) ?? [];
  const place = word === undefined ? text : `${word.toLowerCase()} ${String(Number(digits))}`;
  const [, file = ""] = /^(.+):\d{1,15}$/.exec(text) ?? [];
  const isFile = /\s/.test(file) ? /\.[a-z][a-z0-9]{0,9}$/i.test(file) : /\p{L}/u.test(file);
  const isNumber = /^-?\d{1,18}(?:\.\d{1,9})?$/.test(text);
  if (word === undefined && !isNumber && (!isFile || file.includes("://"))) return undefined;
  return { place, text: place };
}

const readers: readonly Reader[] = [readDate, readWord, readLast, readDayFirst, readPlace];

/** The message for a value in none of the forms. */
function inNoForm(value: unknown, member: EndRequest["member"]): string {
  const words = member === "from" ? ["yesterday", "today"] : ["now", "today", "yesterday"];
  const examples = member === "from" ? `"last 30 days", "yesterday"` : `"today", "now"`;
  const forms =
    `a date such as 2026-10-01, a time such as 2026-10-01T14:30, ${examples}, or a place such as ` +
    `"line 48211"`;
  if (typeof value === "number") {
    return `numbers are not kept so exactly: write it in quotes, or ${forms}`;
  }
  if (typeof value !== "string") return `must be ${forms}, in quotes`;
  return `${quoted(value)} is neither ${forms.replace(", or", " nor")}${didYouMean(value, words)}`;
}

/** Reads what a person gave for `from` or `to`, or says what is wrong with it. */
export function readSpanEnd(value: unknown, request: EndRequest): SpanEnd | string {
  const isExact = typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  const text = isExact || typeof value === "string" ? String(value) : "";
  // No time and no place contains terminal control characters.
  const isPlain = text.length <= spanEndCharsMax && plainText(text) === text;
  const end = isPlain
    ? readers
        .values()
        .map((read) => read(text, request))
        .find(Boolean)
    : undefined;
  if (end === undefined) return inNoForm(value, request.member);
  return typeof end === "string" || request.member === "from"
    ? end
    : { ...end, text: `before ${end.text}` };
}
