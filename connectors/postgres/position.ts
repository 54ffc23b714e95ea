import { createHash } from "node:crypto";

import { z } from "zod";

import { ConfigError } from "../../src/errors.ts";
import type { Overlap, PostgresConfig } from "./config.ts";
import { keyColumnsMax, overlapMsDefault } from "./limits.ts";

const key = z.array(z.string()).min(1).max(keyColumnsMax).readonly();

const changedPosition = z
  .strictObject({ of: z.string(), changed: z.string(), key: key.optional() })
  .readonly();

const keyPosition = z.strictObject({ key }).readonly();

/**
 * How far a read came, every value as the server writes it. With a change column: the rows up to the one of this change and key, or,
 * without a key, those that changed before; `of` is `readingOf`. Without one: the rows up to this key.
 */
export const postgresPosition = z.union([changedPosition, keyPosition]);

/** See `postgresPosition`. */
export type PostgresPosition = z.output<typeof postgresPosition>;

/** A time as the server writes it in UTC, or a date: year, month, day and what follows to the microsecond. */
const time = /^(\d{4})-(\d\d)-(\d\d)(?: (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(?:\+00)?)?$/;

/** What a configuration reads and in which order, as `state show` may print it: of another reading a position says nothing. */
export function readingOf(config: PostgresConfig): string {
  const { table, query = "", changed_by: by, key: names } = config;
  const what = table ?? `query ${createHash("sha256").update(query).digest("hex").slice(0, 16)}`;
  return `${what} by ${[by?.column ?? "", ...(names ?? [])].join(", ")}`;
}

/**
 * The position before which a run need not look again: the overlap back, or to `held` where that is earlier; undefined when
 * another table, query, change column or key was read then.
 */
export function rewindPostgres(input: {
  readonly config: PostgresConfig;
  readonly position: PostgresPosition;
  readonly held?: PostgresPosition | undefined;
}): PostgresPosition | undefined {
  const { config, position, held } = input;
  if (!("changed" in position) || position.of !== readingOf(config)) return undefined;
  const { of, changed } = position;
  const back = backFrom(changed, config.changed_by?.overlap);
  const rewound: PostgresPosition = back === changed ? position : { of, changed: back };
  if (held === undefined || !("changed" in held)) return rewound;
  return isBefore(held.changed, back) ? held : rewound;
}

/** The position that covers every row that changed before a time. @throws {ConfigError} there is no change column */
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

/** Steps back in the value's own kind: a time by milliseconds, a date to the day they reach into, a whole number by a count. */
function backFrom(changed: string, overlap: Overlap | undefined): string {
  const micros = readTime(changed);
  if (micros !== undefined) {
    const back = BigInt(overlapMs(overlap)) * 1_000n;
    return back === 0n ? changed : writeLike(changed, micros - back);
  }
  const count = overlap !== undefined && "count" in overlap ? overlap.count : 0;
  // `infinity` or a year before Christ stands for itself.
  const found = /^(-?)(\d+)(\.\d+)?$/.exec(changed);
  if (found === null || count === 0) return changed;
  const [, sign = "", whole = "", fraction] = found;
  // A fraction is dropped downwards: further back is only read again.
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

function writeTime(micros: bigint): string {
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const iso = new Date(Number((micros - fraction) / 1_000n)).toISOString();
  return `${iso.slice(0, 19).replace("T", " ")}.${String(fraction).padStart(6, "0")}+00`;
}

function writeLike(model: string, micros: bigint): string {
  const written = writeTime(micros);
  if (model.endsWith("+00")) return written;
  // A day that the overlap reaches into is read whole.
  return model.includes(" ")
    ? written.slice(0, -"+00".length)
    : written.slice(0, "yyyy-mm-dd".length);
}
