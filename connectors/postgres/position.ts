import { createHash } from "node:crypto";

import { z } from "zod";

import { ConfigError } from "../../src/errors.ts";
import type { Overlap, PostgresConfig } from "./config.ts";
import { clocksPutBackMs, clockStepMs, keyColumnsMax, overlapMsDefault } from "./limits.ts";

const key = z.array(z.string()).min(1).max(keyColumnsMax).readonly();

const changedPosition = z
  .strictObject({
    of: z.string(),
    changed: z.string(),
    key: key.optional(),
    /**
     * By how many ms the server's clock was ahead of the reader's when the run opened: it shows another run that one of
     * the two moved.
     */
    clock: z.int().optional(),
    /**
     * The number of the table in the catalogue when the run opened: no row was read of a table that has taken its place
     * since.
     */
    table: z.string().optional(),
  })
  .readonly();

const keyPosition = z.strictObject({ key }).readonly();

/**
 * How far a read came, every value as the server writes it. With a change column: the rows up to the one with this
 * change and key, or, without a key, the rows that changed before; `of` is `readingOf`. Without a change column: the
 * rows up to this key.
 */
export const postgresPosition = z.union([changedPosition, keyPosition]);

/** See `postgresPosition`. */
export type PostgresPosition = z.output<typeof postgresPosition>;

/** A time as the server writes it in UTC, or a date: year, month, day and what follows to the microsecond. */
const time = /^(\d{4})-(\d\d)-(\d\d)(?: (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(?:\+00)?)?$/;

const aNumber = /^-?\d+(?:\.\d+)?$/;

/**
 * What a configuration reads and in which order, as `state show` may print it: a position means nothing for another
 * reading.
 */
export function readingOf(config: PostgresConfig): string {
  const { table, query = "", changed_by: by, key: names } = config;
  const what = table ?? `query ${createHash("sha256").update(query).digest("hex").slice(0, 16)}`;
  return `${what} by ${[by?.column ?? "", ...(names ?? [])].join(", ")}`;
}

/**
 * Whether a position is of the same table or query and change column, but of another key; without a change column
 * nobody knows.
 */
export function isOfOtherKey(config: PostgresConfig, position: PostgresPosition): boolean {
  if (!("of" in position)) return false;
  const withoutKey = readingOf({ ...config, key: undefined });
  const isSame = position.of === withoutKey || position.of.startsWith(`${withoutKey}, `);
  return isSame && position.of !== readingOf(config);
}

/**
 * The position before which a run need not look again: back by the overlap, and by as much more as the server's clock
 * went back since, or to half an overlap before `oldestOpen` where that is earlier. Undefined when another table,
 * query, change column or key was read then, when another table has taken its place, or when the checkpoint is ahead of
 * the server's clock and nobody knows how far that moved.
 */
export function rewindPostgres(input: {
  readonly config: PostgresConfig;
  readonly position: PostgresPosition;
  readonly oldestOpen?: PostgresPosition | undefined;
  readonly to?: PostgresPosition | undefined;
}): PostgresPosition | undefined {
  const { config, position, oldestOpen, to } = input;
  if (!("changed" in position) || position.of !== readingOf(config)) return undefined;
  if (isOtherTable(position, to)) return undefined;
  if (isAheadUnexplained(position, to)) return undefined;
  const { of, changed } = position;
  const micros = readTime(changed);
  const steppedMs = clockWentBackMs(position, to);
  const since =
    micros === undefined || steppedMs === 0
      ? changed
      : writeLike(changed, micros - BigInt(steppedMs) * 1_000n);
  const back = backFrom(since, config.changed_by?.overlap);
  const rewound: PostgresPosition = back === changed ? position : { of, changed: back };
  if (oldestOpen === undefined || !("changed" in oldestOpen)) return rewound;
  // It began by the server's clock, and its rows may have the stamps of one that is slow. By the whole overlap, any
  // transaction, however short, would have each run go back further than its pages know.
  const halfMs = Math.ceil(overlapMs(config.changed_by?.overlap) / 2);
  const open = backFrom(oldestOpen.changed, { ms: halfMs });
  return isBefore(open, back) ? { ...oldestOpen, changed: open } : rewound;
}

/**
 * For a change column that is a number: the value above which the run after this checkpoint reads; undefined for every
 * other position.
 */
export function lowestRead(config: PostgresConfig, position: PostgresPosition): string | undefined {
  if (!("changed" in position) || position.of !== readingOf(config)) return undefined;
  const lowest = backFrom(position.changed, config.changed_by?.overlap);
  return aNumber.test(lowest) ? lowest : undefined;
}

/**
 * By how much the server's clock went back between two runs, or this machine's forward, which looks the same; 0 for a
 * negligible step.
 */
export function clockWentBackMs(
  position: PostgresPosition,
  to: PostgresPosition | undefined,
): number {
  if (to === undefined || !("changed" in to) || !("changed" in position)) return 0;
  if (to.clock === undefined || position.clock === undefined) return 0;
  const back = position.clock - to.clock;
  return back > clockStepMs ? back : 0;
}

/** Whether the table was swapped for another one of its name, or made anew, between two runs. */
export function isOtherTable(
  position: PostgresPosition,
  to: PostgresPosition | undefined,
): boolean {
  if (to === undefined || !("changed" in to) || !("changed" in position)) return false;
  if (to.table === undefined || position.table === undefined) return false;
  return to.table !== position.table;
}

/** By how much a checkpoint is ahead of the server's present; 0 where it is not, or where nobody can tell. */
export function aheadMs(position: PostgresPosition, to: PostgresPosition | undefined): number {
  if (to === undefined || !("changed" in to) || !("changed" in position)) return 0;
  const [at, present] = [readTime(position.changed), readTime(to.changed)];
  if (at === undefined || present === undefined || at < present) return 0;
  return Number((at - present) / 1_000n);
}

/**
 * Whether a checkpoint is further ahead of the server's present than is known of its clock. On one machine the server's
 * clock and the reader's go back together, so that nothing shows by how much: rows that changed since may have any
 * earlier stamp.
 */
export function isAheadUnexplained(
  position: PostgresPosition,
  to: PostgresPosition | undefined,
): boolean {
  const knownMs = clockWentBackMs(position, to);
  return aheadMs(position, to) > knownMs + clocksPutBackMs + clockStepMs;
}

/**
 * Where a read that came to its end leaves the checkpoint: at that end, so that the overlap does not grow with each
 * quiet night, but never more than the overlap past the newest row. Otherwise a wrong clock or zone would put it ahead
 * of every row to come. For an end that a person named, and for a number, nobody knows whether rows to come are before
 * it: then the last row is the end. `from` is the last row, or where the read began; if the result is undefined, the
 * checkpoint stays there.
 */
export function endOfRead(input: {
  readonly from: PostgresPosition | undefined;
  readonly to: PostgresPosition | undefined;
  readonly overlap: Overlap | undefined;
  /** Whether the zone in which the end is written is known. */
  readonly isZoneGiven: boolean;
}): PostgresPosition | undefined {
  const { from, to, overlap, isZoneGiven } = input;
  if (to === undefined || !("changed" in to)) return to;
  if (aNumber.test(to.changed)) return undefined;
  const end = readTime(to.changed);
  if (end === undefined) return to;
  // The end of a backfill is a moment; the times of a column without a zone are not.
  if (from === undefined || !("changed" in from) || isMoment(from) !== isMoment(to))
    return undefined;
  const last = readTime(from.changed);
  const isRow = from.key !== undefined;
  const isSure = isZoneGiven && !isNamed(to);
  const reachMs = isRow && !isSure ? 0 : overlapMs(overlap);
  if (last === undefined || (isRow && reachMs === 0)) return undefined;
  // Just after the row, which the next run then need not read again; for a date, after the day.
  const behind = isRow ? (isDay(from) ? dayMicros : 1n) : 0n;
  const reach = last + behind + BigInt(reachMs) * 1_000n;
  const whole = isDay(from) ? ((reach + dayMicros - 1n) / dayMicros) * dayMicros : reach;
  return whole < end ? { ...to, changed: writeLike(from.changed, whole) } : to;
}

/** Whether a person named an end, and not the server's clock or a row. */
export function isNamed(to: PostgresPosition): boolean {
  return "changed" in to && to.clock === undefined && to.key === undefined;
}

/**
 * Whether the run that follows one to `to` goes back over the rows just before a position, judged by the overlap alone:
 * the effect of an open transaction or another clock is not known yet.
 */
export function isInOverlap(
  position: PostgresPosition,
  to: PostgresPosition | undefined,
  overlap: Overlap | undefined,
): boolean {
  if (!("changed" in position)) return true;
  // The run after it goes back from the last row, wherever that is.
  if (to !== undefined && isNamed(to)) return true;
  const end = to !== undefined && "changed" in to ? to.changed : undefined;
  // Numbers have no end: each run goes back by the configured count.
  if (end === undefined) return backFrom(position.changed, overlap) !== position.changed;
  return !isBefore(position.changed, backFrom(end, overlap));
}

/**
 * The position that covers every row that changed before a moment, whatever the zone of the column. @throws
 * {ConfigError} there is no change column
 */
export function positionAt(input: {
  readonly config: PostgresConfig;
  readonly when: Date;
}): PostgresPosition {
  if (input.config.changed_by === undefined) {
    throw new ConfigError("a time says nothing about a source without a change column", {
      field: "changed_by",
      hint: "Name the column that says when a row changed: changed_by: { column: updated_at }.",
    });
  }
  const changed = writeTime(BigInt(input.when.getTime()) * 1_000n);
  return { of: readingOf(input.config), changed };
}

/** The overlap of a change column of times, in ms. */
export function overlapMs(overlap: Overlap = { ms: overlapMsDefault }): number {
  return "ms" in overlap ? overlap.ms : 0;
}

/**
 * Steps back in the value's own kind: a time by milliseconds, a date to the day they reach into, a whole
 * number by a count.
 */
function backFrom(changed: string, overlap: Overlap | undefined): string {
  const micros = readTime(changed);
  if (micros !== undefined) {
    const back = BigInt(overlapMs(overlap)) * 1_000n;
    return back === 0n ? changed : writeLike(changed, micros - back);
  }
  const count = overlap !== undefined && "count" in overlap ? overlap.count : 0;
  // `infinity` or a year before Christ stays as it is.
  const found = /^(-?)(\d+)(\.\d+)?$/.exec(changed);
  if (found === null || count === 0) return changed;
  const [, sign = "", whole = "", fraction] = found;
  // A fraction is rounded down: rows further back are only read again.
  const below = sign === "-" && fraction !== undefined ? 1n : 0n;
  return String(BigInt(sign + whole) - below - BigInt(count));
}

function isBefore(one: string, other: string): boolean {
  const [a, b] = [readTime(one), readTime(other)];
  return a !== undefined && b !== undefined && a < b;
}

/** Microseconds since 1970. */
function readTime(text: string): bigint | undefined {
  const found = time.exec(text);
  if (found === null) return undefined;
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = ""] = found;
  // Date.UTC takes the years 0 to 99 for those of the last century.
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  return BigInt(date.getTime()) * 1_000n + BigInt(fraction.padEnd(6, "0"));
}

const dayMicros = 86_400_000_000n;

/** The beginning of the year 1. */
const firstMicros = -62_135_596_800_000_000n;

type OfChange = Extract<PostgresPosition, { changed: string }>;

function isMoment({ changed }: OfChange): boolean {
  return changed.endsWith("+00");
}

function isDay({ changed }: OfChange): boolean {
  return !changed.includes(" ");
}

function writeTime(micros: bigint): string {
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const iso = new Date(Number((micros - fraction) / 1_000n)).toISOString();
  return `${iso.slice(0, 19).replace("T", " ")}.${String(fraction).padStart(6, "0")}+00`;
}

function writeLike(model: string, micros: bigint): string {
  // Before the year 1 the server writes and reads years in another way; and many rows are stamped with its first day.
  if (micros < firstMicros) return "-infinity";
  const written = writeTime(micros);
  if (model.endsWith("+00")) return written;
  // A day that the overlap reaches into is read whole.
  return model.includes(" ")
    ? written.slice(0, -"+00".length)
    : written.slice(0, "yyyy-mm-dd".length);
}
