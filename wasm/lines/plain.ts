// What a coercion leaves as it is, recognised in bytes. Each answers no where it is not certain, and the row is then
// mapped as an object: so none of them needs to know what a coercion makes of anything else.

/** What a byte may be part of, one bit for each. */
const IN_LABEL: u32 = 1;
const IN_LETTERS: u32 = 2;
const IN_LOCAL: u32 = 4;

const CLASSES: usize = memory.data(256);

const DASH: u32 = 0x2d;
const DOT: u32 = 0x2e;
const AT: u32 = 0x40;
const ZERO: u32 = 0x30;

/** Digits of a number that a double always gives back. */
const SAFE_DIGITS: usize = 15;

/** Decimals below which a number is never written with an exponent. */
const PLAIN_DECIMALS: usize = 6;

const LABEL_CHARS_MAX: usize = 63;

// As src/mapping/limits.ts has them.
const HOST_CHARS_MAX: usize = 253;
const EMAIL_CHARS_MAX: usize = 254;
const EMAIL_LOCAL_CHARS_MAX: usize = 64;

function mark(from: u32, to: u32, bits: u32): void {
  for (let char = from; char <= to; char++) {
    store<u8>(CLASSES + <usize>char, load<u8>(CLASSES + <usize>char) | <u8>bits);
  }
}

/** Fills the table of classes. */
export function makeClasses(): void {
  mark(ZERO, 0x39, IN_LABEL | IN_LOCAL);
  mark(0x61, 0x7a, IN_LABEL | IN_LETTERS | IN_LOCAL);
  mark(0x41, 0x5a, IN_LOCAL);
  mark(0x5f, 0x5f, IN_LABEL | IN_LOCAL);
  mark(DASH, DASH, IN_LABEL | IN_LOCAL);
  mark(DOT, DOT, IN_LOCAL);
  mark(0x2b, 0x2b, IN_LOCAL);
}

function isDigit(byte: u32): bool {
  return byte - ZERO <= 9;
}

/** The address after the digits that begin at `from`. */
function digitsEnd(from: usize, to: usize): usize {
  while (from < to && isDigit(load<u8>(from))) from++;
  return from;
}

/**
 * Where the whole number that begins at `from` ends, if JSON would write it just so: no plus sign, no leading zeros,
 * few enough digits. 0 is none.
 */
function wholeEnd(from: usize, to: usize): usize {
  const first = from < to && load<u8>(from) == DASH ? from + 1 : from;
  const end = digitsEnd(first, to);
  if (end == first || end - first > SAFE_DIGITS) return 0;
  if (end - first > 1 && load<u8>(first) == ZERO) return 0;
  return end;
}

/** Whether a number begins with -0. */
function isMinusZero(from: usize): bool {
  return load<u8>(from) == DASH && load<u8>(from + 1) == ZERO;
}

/** Whether `as: integer` leaves it as it is. */
export function isPlainInteger(from: usize, to: usize): bool {
  return wholeEnd(from, to) == to && !isMinusZero(from);
}

/** Where what `as: number` makes of it ends: zeros at the end of decimals are not written. 0 where it is not certain. */
export function plainNumberEnd(from: usize, to: usize): usize {
  const whole = wholeEnd(from, to);
  if (whole == 0 || isMinusZero(from)) return 0;
  if (whole == to) return to;
  const decimals = whole + 1;
  const end = digitsEnd(decimals, to);
  if (load<u8>(whole) != DOT || end != to || end == decimals) return 0;
  if (end - decimals > PLAIN_DECIMALS || end - from > SAFE_DIGITS) return 0;
  let last = end;
  while (last > decimals && load<u8>(last - 1) == ZERO) last--;
  return last == decimals ? whole : last;
}

/** Two digits as a number; the caller knows that they are digits. */
function pair(at: usize): u32 {
  return (<u32>load<u8>(at) - ZERO) * 10 + <u32>load<u8>(at + 1) - ZERO;
}

function areDigits(at: usize, count: usize): bool {
  return digitsEnd(at, at + count) == at + count;
}

const DATE_BYTES: usize = 10;
const TIME_BYTES: usize = 9;

function isDay(at: usize): bool {
  if (!areDigits(at, 4) || load<u8>(at + 4) != DASH) return false;
  if (!areDigits(at + 5, 2) || load<u8>(at + 7) != DASH || !areDigits(at + 8, 2)) return false;
  const year = pair(at) * 100 + pair(at + 2);
  const month = pair(at + 5);
  const day = pair(at + 8);
  const isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  if (month < 1 || month > 12) return false;
  // April, June, September and November have 30 days.
  const days: u32 = month == 2 ? (isLeapYear ? 29 : 28) : 30 + ((month + (month >> 3)) & 1);
  return year > 0 && day > 0 && day <= days;
}

/** Whether `as: date` leaves it as it is. */
export function isPlainDate(from: usize, to: usize): bool {
  return to - from == DATE_BYTES && isDay(from);
}

/** Whether two digits are at most 59, behind a certain byte. */
function isSixtieth(at: usize, before: u32): bool {
  return load<u8>(at) == before && areDigits(at + 1, 2) && pair(at + 1) <= 59;
}

/** Whether `as: datetime` leaves it as it is: an instant in UTC, written with T, seconds and Z. */
export function isPlainDateTime(from: usize, to: usize): bool {
  if (to - from <= DATE_BYTES + TIME_BYTES || load<u8>(to - 1) != 0x5a) return false;
  const time = from + DATE_BYTES;
  if (!isDay(from) || !isSixtieth(time, 0x54) || pair(time + 1) > 23) return false;
  if (!isSixtieth(time + 3, 0x3a) || !isSixtieth(time + 6, 0x3a)) return false;
  const fraction = time + TIME_BYTES;
  if (fraction == to - 1) return true;
  if (load<u8>(fraction) != DOT || to - 1 == fraction + 1) return false;
  const decimals = to - 1 - (fraction + 1);
  return decimals <= 9 && areDigits(fraction + 1, decimals);
}

/** Whether a text begins with `www.`. */
function hasWww(from: usize, to: usize): bool {
  return to - from >= 4 && load<u32>(from) == 0x2e777777;
}

/** Whether `as: domain` leaves it as it is: two labels or more, no `www.` and no `--`, letters alone in the last. */
export function isPlainDomain(from: usize, to: usize): bool {
  if (to - from > HOST_CHARS_MAX || hasWww(from, to)) return false;
  let label = from;
  let labels = 0;
  // What the bytes of a label have in common.
  let common: u32 = 0xff;
  for (let at = from; at <= to; at++) {
    const byte: u32 = at == to ? DOT : load<u8>(at);
    if (byte != DOT) {
      const kind: u32 = load<u8>(CLASSES + <usize>byte);
      if ((kind & IN_LABEL) == 0) return false;
      if (byte == DASH && (at == label || (at + 1 < to && load<u8>(at + 1) == DASH))) return false;
      common &= kind;
      continue;
    }
    const chars = at - label;
    if (chars == 0 || chars > LABEL_CHARS_MAX || load<u8>(at - 1) == DASH) return false;
    labels++;
    if (at == to) return labels > 1 && chars > 1 && (common & IN_LETTERS) != 0;
    label = at + 1;
    common = 0xff;
  }
  return false;
}

/** Whether `as: email` leaves it as it is: letters, digits and few marks before the @, a plain domain behind it. */
export function isPlainEmail(from: usize, to: usize): bool {
  if (to - from > EMAIL_CHARS_MAX) return false;
  let end = from;
  while (end < to && (load<u8>(CLASSES + <usize>load<u8>(end)) & <u8>IN_LOCAL) != 0) end++;
  const chars = end - from;
  if (chars == 0 || chars > EMAIL_LOCAL_CHARS_MAX || end == to || load<u8>(end) != AT) return false;
  return isPlainDomain(end + 1, to);
}

/** Whether a text, in whatever case, is one of the words for true (1), for false (0), or none (-1). */
export function plainBoolean(from: usize, to: usize): i32 {
  const bytes = to - from;
  if (bytes == 0 || bytes > 5) return -1;
  let word: u64 = 0;
  for (let at = to; at > from; at--) {
    const byte: u64 = load<u8>(at - 1);
    // Behind a word it would leave no trace.
    if (byte == 0) return -1;
    word = (word << 8) | (byte - 0x41 < 26 ? byte + 0x20 : byte);
  }
  switch (word) {
    case 0x65757274: // true
    case 0x74: // t
    case 0x736579: // yes
    case 0x79: // y
    case 0x31: // 1
      return 1;
    case 0x65736c6166: // false
    case 0x66: // f
    case 0x6f6e: // no
    case 0x6e: // n
    case 0x30: // 0
      return 0;
    default:
      return -1;
  }
}
