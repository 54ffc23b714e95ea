import { booleanCell, numberCell } from "../../records/cells.ts";
import { emailCharsMax, emailLocalCharsMax, hostCharsMax } from "../limits.ts";

// What a coercion leaves as it is, recognised in bytes. Each answers no where it is not certain, and the row is then
// mapped as an object: so none of them needs to know what a coercion makes of anything else.

/** What a byte may be part of, one bit for each. */
const inLabel = 1;
const inLetters = 2;
const inLocal = 4;

const classes = new Uint8Array(256);
function mark(chars: string, bit: number): void {
  for (const char of chars) classes[char.charCodeAt(0)] = (classes[char.charCodeAt(0)] ?? 0) | bit;
}
const letters = "abcdefghijklmnopqrstuvwxyz";
mark("0123456789", inLabel | inLocal);
mark(letters, inLabel | inLetters | inLocal);
mark(letters.toUpperCase(), inLocal);
mark("_-", inLabel);
mark("_-.+", inLocal);

const dash = 0x2d;
const dot = 0x2e;
const at = 0x40;
const zero = 0x30;

/** Digits of a number that a double always gives back. */
const safeDigits = 15;

/** Decimals below which a number is never written with an exponent. */
const plainDecimals = 6;

const labelCharsMax = 63;

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= 0x39;
}

/** The index after the digits that begin at `from`. */
function digitsEnd(bytes: Uint8Array, from: number, to: number): number {
  let end = from;
  while (end < to && isDigit(bytes[end])) end += 1;
  return end;
}

/**
 * Where the whole number that begins at `from` ends, if JSON would write it just so: no plus sign, no leading zeros, no
 * -0, few enough digits. -1 is none.
 */
function wholeEnd(bytes: Uint8Array, from: number, to: number): number {
  const first = bytes[from] === dash ? from + 1 : from;
  const end = digitsEnd(bytes, first, to);
  const isZero = bytes[first] === zero;
  if (end === first || end - first > safeDigits) return -1;
  if (isZero && end - first > 1) return -1;
  return end;
}

/** Whether `as: integer` leaves it as it is. */
export function isPlainInteger(bytes: Uint8Array, from: number, to: number): boolean {
  return wholeEnd(bytes, from, to) === to && !(bytes[from] === dash && bytes[from + 1] === zero);
}

/**
 * Where what `as: number` makes of it ends: zeros at the end of decimals are not written. -1 where it is not
 * certain.
 */
export function plainNumberEnd(bytes: Uint8Array, from: number, to: number): number {
  const whole = wholeEnd(bytes, from, to);
  if (whole === -1 || (bytes[from] === dash && bytes[from + 1] === zero)) return -1;
  if (whole === to) return to;
  const decimals = whole + 1;
  const end = digitsEnd(bytes, decimals, to);
  if (bytes[whole] !== dot || end !== to || end === decimals) return -1;
  if (end - decimals > plainDecimals || end - from > safeDigits) return -1;
  let last = end;
  while (last > decimals && bytes[last - 1] === zero) last -= 1;
  return last === decimals ? whole : last;
}

/** A cell's bytes and what is special about them. */
export type Cell = { readonly from: number; readonly to: number; readonly flags: number };

/**
 * Where the text of a JSON number or boolean ends, as it would be written again. -1 where it is not certain, and of any
 * other value.
 */
export function plainBareEnd(bytes: Uint8Array, { from, to, flags }: Cell): number {
  if ((flags & numberCell) !== 0) return plainNumberEnd(bytes, from, to);
  return (flags & booleanCell) !== 0 ? to : -1;
}

/** Two digits as a number; the caller knows that they are digits. */
function pair(bytes: Uint8Array, from: number): number {
  return ((bytes[from] ?? 0) - zero) * 10 + (bytes[from + 1] ?? 0) - zero;
}

/** Whether bytes are of a pattern, in which 0 stands for any digit. */
export function isLike(bytes: Uint8Array, from: number, pattern: string): boolean {
  for (let index = 0; index < pattern.length; index += 1) {
    const wanted = pattern.charCodeAt(index);
    const byte = bytes[from + index];
    if (wanted === zero ? !isDigit(byte) : byte !== wanted) return false;
  }
  return true;
}

const datePattern = "0000-00-00";
const timePattern = "T00:00:00";
const daysOfMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

function isDay(bytes: Uint8Array, from: number): boolean {
  if (!isLike(bytes, from, datePattern)) return false;
  const year = pair(bytes, from) * 100 + pair(bytes, from + 2);
  const month = pair(bytes, from + 5);
  const day = pair(bytes, from + 8);
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && isLeapYear ? 29 : (daysOfMonth[month - 1] ?? 0);
  return year > 0 && day > 0 && day <= days;
}

/** Whether `as: date` leaves it as it is. */
export function isPlainDate(bytes: Uint8Array, from: number, to: number): boolean {
  return to - from === datePattern.length && isDay(bytes, from);
}

/** Whether `as: datetime` leaves it as it is: an instant in UTC, written with T, seconds and Z. */
export function isPlainDateTime(bytes: Uint8Array, from: number, to: number): boolean {
  const time = from + datePattern.length;
  if (to - time <= timePattern.length || bytes[to - 1] !== 0x5a) return false;
  if (!isDay(bytes, from) || !isLike(bytes, time, timePattern)) return false;
  const isTime =
    pair(bytes, time + 1) <= 23 && pair(bytes, time + 4) <= 59 && pair(bytes, time + 7) <= 59;
  const fraction = time + timePattern.length;
  if (!isTime || fraction === to - 1) return isTime;
  const decimals = to - 1 - (fraction + 1);
  if (bytes[fraction] !== dot || decimals < 1 || decimals > 9) return false;
  return digitsEnd(bytes, fraction + 1, to - 1) === to - 1;
}

/** Whether `as: domain` leaves it as it is: two labels or more, no `www.` and no `--`, letters alone in the last. */
export function isPlainDomain(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from > hostCharsMax || isLike(bytes, from, "www.")) return false;
  let label = from;
  let labels = 0;
  // What the bytes of a label have in common.
  let common = 0xff;
  for (let index = from; index <= to; index += 1) {
    const byte = index === to ? dot : (bytes[index] ?? 0);
    if (byte !== dot) {
      const kind = classes[byte] ?? 0;
      if ((kind & inLabel) === 0) return false;
      if (byte === dash && (index === label || bytes[index + 1] === dash)) return false;
      common &= kind;
      continue;
    }
    const chars = index - label;
    if (chars === 0 || chars > labelCharsMax || bytes[index - 1] === dash) return false;
    labels += 1;
    if (index === to) return labels > 1 && chars > 1 && (common & inLetters) !== 0;
    label = index + 1;
    common = 0xff;
  }
  return false;
}

/** Whether `as: email` leaves it as it is: letters, digits and few marks before the @, a plain domain behind it. */
export function isPlainEmail(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from > emailCharsMax) return false;
  let end = from;
  while (end < to && ((classes[bytes[end] ?? 0] ?? 0) & inLocal) !== 0) end += 1;
  const chars = end - from;
  if (chars === 0 || chars > emailLocalCharsMax || bytes[end] !== at) return false;
  return isPlainDomain(bytes, end + 1, to);
}
