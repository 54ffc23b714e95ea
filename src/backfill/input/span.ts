import type { Fault } from "./faults.ts";
import type { SpanEnd } from "./request.ts";
import { readSpanEnd } from "./span-end.ts";
import type { EndAsk, ReadEnd } from "./span-end.ts";
import { midnightBefore, timeText } from "./time.ts";

/** The ends of a span as a person gave them; undefined where there is none. */
export type GivenSpan = { readonly from?: unknown; readonly to?: unknown };

/** What a span is read by. */
export type SpanAsk = Omit<EndAsk, "member">;

/** A span as it was understood, and what is wrong with it. An end with a fault of its own is undefined. */
export type ReadSpan = {
  readonly from: SpanEnd | undefined;
  readonly to: SpanEnd | undefined;
  readonly faults: readonly Fault[];
};

function timeOf(end: SpanEnd | undefined): Date | undefined {
  return end !== undefined && "time" in end ? end.time : undefined;
}

/** A place that is counted: of "line 48211" the word and the number. */
function countedPlace(end: SpanEnd | undefined): { unit: string; number: bigint } | undefined {
  if (end === undefined || !("place" in end)) return undefined;
  const [, unit = "", digits] = /^(?:(\S+) )?(\d+)$/.exec(end.place) ?? [];
  return digits === undefined ? undefined : { unit, number: BigInt(digits) };
}

/** Of two ends as they are read back. */
function orderFault(from: string, to: string): Fault {
  const message = `must be later than from, because the span ends before it: from is ${from}, to is ${to}`;
  return { at: "to", message };
}

function readGiven(value: unknown, ask: EndAsk): ReadEnd | undefined {
  return value === undefined ? undefined : readSpanEnd(value, ask);
}

/** Reads both ends, and compares those that can be: with each other, and times with now. */
export function readSpan(given: GivenSpan, ask: SpanAsk): ReadSpan {
  const faults: Fault[] = [];
  const [from, to] = (["from", "to"] as const).map((member) => {
    const read = readGiven(given[member], { ...ask, member });
    if (read === undefined || "end" in read) return read?.end;
    faults.push({ at: member, message: read.fault });
    return undefined;
  });
  const [start, end] = [timeOf(from), timeOf(to)];
  if (from !== undefined && start !== undefined && start >= ask.now) {
    const message = `must be earlier than now, which is ${timeText(ask.now, ask.timeZone)}: ${from.text} is not`;
    faults.push({ at: "from", message });
  }
  if (start !== undefined && end !== undefined && end <= start) {
    faults.push(orderFault(timeText(start, ask.timeZone), timeText(end, ask.timeZone)));
  }
  const [first, last] = [countedPlace(from), countedPlace(to)];
  if (first !== undefined && last?.unit === first.unit && last.number <= first.number) {
    const [begins, ends] = [first, last].map(({ unit, number }) => `${unit} ${number}`.trim());
    faults.push(orderFault(String(begins), String(ends)));
  }
  return { from, to, faults };
}

/** Days that a span has whose beginning could not be read. */
const exampleDays = 30;

/** What `from` may be replaced by, the likeliest first; undefined leaves it out. */
function insteadOfFrom({ from, to }: GivenSpan, ask: SpanAsk): readonly unknown[] {
  const read = readGiven(from, { ...ask, member: "from" });
  const meant = read !== undefined && "fault" in read ? read.instead : undefined;
  const end = readGiven(to, { ...ask, member: "to" });
  // Beside a place a time would say little.
  if (end !== undefined && "end" in end && "place" in end.end) return [meant];
  const last = `last ${String(exampleDays)} days`;
  const until = end !== undefined && "end" in end ? timeOf(end.end) : undefined;
  if (until === undefined) return [meant, last];
  const midnight = midnightBefore(until, { days: exampleDays, timeZone: ask.timeZone });
  return [meant, last, new Date(midnight).toISOString().slice(0, 10)];
}

/**
 * The span with as little changed as makes it right: the ends swapped, another `from`, `to` now. An end that was not given is none
 * here either.
 */
export function repairedSpan(given: GivenSpan, ask: SpanAsk): GivenSpan {
  const { from, to } = given;
  const swapped = to === undefined ? given : { from: to, to: from };
  const instead = from === undefined ? [] : insteadOfFrom(given, ask);
  const froms = [from, ...instead.filter((value) => value !== undefined), undefined];
  const tos = to === undefined ? [to] : [to, "now"];
  const spans = tos.flatMap((end) => froms.map((start) => ({ from: start, to: end })));
  const isRight = (span: GivenSpan): boolean => readSpan(span, ask).faults.length === 0;
  // The last one, from the beginning until now, is right whatever was given.
  return [given, swapped, ...spans].find(isRight) ?? {};
}
