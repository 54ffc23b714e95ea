import type { ColumnType } from "./types.ts";
import { conversionOf } from "./values.ts";

/** A value's bytes, as the server sent them. */
export type Sent = { readonly bytes: Buffer; readonly from: number; readonly to: number };

/**
 * Writes a value as the mapping reads it into `out` from `at` on, at most `grownBytesMax` more bytes than it has.
 * Returns where it ends, or -1 where JSON cannot carry the value, or it is not read as bytes.
 */
export type WriteValue = (sent: Sent, out: Buffer, at: number) => number;

/** `2024-03-10 15:00:00` is read as `2024-03-10T15:00:00.000000`. */
export const grownBytesMax = 7;

const zero = 0x30;
const nine = 0x39;
const space = 0x20;
const [letterT, letterZ, dot] = [0x54, 0x5a, 0x2e];
const [yes, no] = [Buffer.from("true"), Buffer.from("false")];
const [datePattern, dateTimePattern] = ["0000-00-00", "0000-00-00 00:00:00"];
/** How the server ends a time in UTC. */
const utc = Buffer.from("+00");
const fractionDigits = 6;
/** Patterns by their number of digits; a dot alone is not one. */
const fractions = [undefined, ".0", ".00", ".000", ".0000", ".00000", ".000000"];

/** Whether bytes match a pattern, in which 0 stands for any digit. */
function isLike(bytes: Uint8Array, from: number, pattern: string): boolean {
  for (let index = 0; index < pattern.length; index += 1) {
    const wanted = pattern.charCodeAt(index);
    const byte = bytes[from + index] ?? 0;
    const isDigit = byte >= zero && byte <= nine;
    if (wanted === zero ? !isDigit : byte !== wanted) return false;
  }
  return true;
}

/** Copies a value as it is. */
const copyOf: WriteValue = ({ bytes, from, to }, out, at) => {
  let end = at;
  for (let index = from; index < to; index += 1) {
    out[end] = bytes[index] ?? 0;
    end += 1;
  }
  return end;
};

const writeBoolean: WriteValue = ({ bytes, from }, out, at) => {
  const word = bytes[from] === 0x74 ? yes : no;
  return at + word.copy(out, at);
};

/** NaN, Infinity and -Infinity are the only numbers that end with a letter. */
const writeNumber: WriteValue = (sent, out, at) =>
  (sent.bytes[sent.to - 1] ?? 0) > nine ? -1 : copyOf(sent, out, at);

const writeDate: WriteValue = (sent, out, at) =>
  sent.to - sent.from === datePattern.length && isLike(sent.bytes, sent.from, datePattern)
    ? copyOf(sent, out, at)
    : -1;

const writeDateTime: WriteValue = (sent, out, at) => {
  const { bytes, from, to } = sent;
  const seconds = from + dateTimePattern.length;
  if (to < seconds || !isLike(bytes, from, dateTimePattern)) return -1;
  const zone = Math.max(seconds, to - utc.length);
  const hasZone = bytes.compare(utc, 0, utc.length, zone, to) === 0;
  const end = hasZone ? to - utc.length : to;
  const digits = Math.max(0, end - seconds - 1);
  const pattern = fractions[digits];
  if (end > seconds && (pattern === undefined || !isLike(bytes, seconds, pattern))) return -1;
  let next = copyOf(sent, out, at) - (to - end);
  out[at + datePattern.length] = letterT;
  if (digits === 0) out[next++] = dot;
  for (let index = digits; index < fractionDigits; index += 1) out[next++] = zero;
  if (hasZone) out[next++] = letterZ;
  return next;
};

/** Blanks up to the length of a char(n) are not part of the value. */
const writeTrimmed: WriteValue = ({ bytes, from, to }, out, at) => {
  let end = to;
  while (end > from && bytes[end - 1] === space) end -= 1;
  return copyOf({ bytes, from, to: end }, out, at);
};

const writers: ReadonlyMap<string, WriteValue> = new Map(
  Object.entries({
    boolean: writeBoolean,
    real: writeNumber,
    "double precision": writeNumber,
    numeric: writeNumber,
    date: writeDate,
    "timestamp without time zone": writeDateTime,
    "timestamp with time zone": writeDateTime,
    bpchar: writeTrimmed,
  }),
);

/**
 * How a column's values are written: exactly as `conversionOf` converts their text. A conversion without a writer here,
 * such as a list's, is left to objects.
 */
export function writerOf(column: ColumnType): WriteValue | undefined {
  if (conversionOf(column) === undefined) return undefined;
  return (column.items === undefined ? writers.get(column.type) : undefined) ?? (() => -1);
}
