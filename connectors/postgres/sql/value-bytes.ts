import type { ColumnType } from "./types.ts";
import { conversionOf } from "./values.ts";

/** A value's bytes, as the server sent them. */
export type Sent = { readonly bytes: Buffer; readonly from: number; readonly to: number };

/**
 * Writes what the mapping reads of a value into `out` from `at` on, at most `grownBytesMax` more bytes than it has.
 * Answers where that ends, or -1 where the value is none that JSON can carry, or not read as bytes.
 */
export type WriteValue = (sent: Sent, out: Buffer, at: number) => number;

/** `2024-03-10 15:00:00` is read as `2024-03-10T15:00:00.000000`. */
export const grownBytesMax = 7;

const zero = 0x30;
const nine = 0x39;
const space = 0x20;
const [letterT, letterZ, dot] = [0x54, 0x5a, 0x2e];
const [yes, no] = [Buffer.from("true"), Buffer.from("false")];
const [datePattern, dateTimePattern, utc] = ["0000-00-00", "0000-00-00 00:00:00", "+00"];
const fractionDigits = 6;

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= nine;
}

/** Whether bytes are of a pattern, in which 0 stands for any digit. */
function isLike({ bytes, from, to }: Sent, pattern: string): boolean {
  if (to - from < pattern.length) return false;
  for (let index = 0; index < pattern.length; index += 1) {
    const wanted = pattern.charCodeAt(index);
    const byte = bytes[from + index];
    if (wanted === zero ? !isDigit(byte) : byte !== wanted) return false;
  }
  return true;
}

/** Copies a value as it is. */
function copyOf({ bytes, from, to }: Sent, out: Buffer, at: number): number {
  let end = at;
  for (let index = from; index < to; index += 1) {
    out[end] = bytes[index] ?? 0;
    end += 1;
  }
  return end;
}

const writeBoolean: WriteValue = ({ bytes, from }, out, at) => {
  const word = bytes[from] === 0x74 ? yes : no;
  return at + word.copy(out, at);
};

/** NaN, Infinity and -Infinity are the only numbers that end with a letter. */
const writeNumber: WriteValue = (sent, out, at) =>
  (sent.bytes[sent.to - 1] ?? 0) > nine ? -1 : copyOf(sent, out, at);

const writeDate: WriteValue = (sent, out, at) =>
  sent.to - sent.from === datePattern.length && isLike(sent, datePattern)
    ? copyOf(sent, out, at)
    : -1;

const writeDateTime: WriteValue = (sent, out, at) => {
  if (!isLike(sent, dateTimePattern)) return -1;
  const { bytes, from, to } = sent;
  const hasZone = isLike({ bytes, from: to - utc.length, to }, utc);
  const second = from + dateTimePattern.length;
  const end = hasZone ? to - utc.length : to;
  const digits = end - second - 1;
  if (end !== second) {
    if (bytes[second] !== dot || digits < 1 || digits > fractionDigits) return -1;
    for (let index = second + 1; index < end; index += 1) if (!isDigit(bytes[index])) return -1;
  }
  let next = copyOf(sent.to === end ? sent : { bytes, from, to: end }, out, at);
  out[at + datePattern.length] = letterT;
  if (end === second) out[next++] = dot;
  for (let index = Math.max(0, digits); index < fractionDigits; index += 1) out[next++] = zero;
  if (hasZone) out[next++] = letterZ;
  return next;
};

/** Blanks up to the length of a char(n) are no part of the value. */
const writeTrimmed: WriteValue = ({ bytes, from, to }, out, at) => {
  let end = to;
  while (end > from && bytes[end - 1] === space) end -= 1;
  return copyOf({ bytes, from, to: end }, out, at);
};

const writers: Readonly<Record<string, WriteValue | undefined>> = {
  boolean: writeBoolean,
  real: writeNumber,
  "double precision": writeNumber,
  numeric: writeNumber,
  date: writeDate,
  "timestamp without time zone": writeDateTime,
  "timestamp with time zone": writeDateTime,
  bpchar: writeTrimmed,
};

/**
 * How a column's values are written: what `conversionOf` makes of their text, to the byte. A conversion that has no
 * writer here, of a list for one, is left to objects.
 */
export function writerOf(column: ColumnType): WriteValue | undefined {
  if (conversionOf(column) === undefined) return undefined;
  return (column.items === undefined ? writers[column.type] : undefined) ?? (() => -1);
}
