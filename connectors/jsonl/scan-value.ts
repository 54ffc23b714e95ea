import { booleanCell, notAscii, nullCell, numberCell, otherCell } from "../../src/records/cells.ts";
import { recordDepthMax } from "../../src/records/json-value.ts";

/** The bytes of JSON that a reader of members must know. */
export const signs = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  brace: 0x7b,
  braceEnd: 0x7d,
} as const;

const { quote, comma, colon, brace, braceEnd } = signs;
const [bracket, bracketEnd, backslash] = [0x5b, 0x5d, 0x5c];
const [plus, minus, dot, zero, nine] = [0x2b, 0x2d, 0x2e, 0x30, 0x39];
const [smallE, largeE, smallU] = [0x65, 0x45, 0x75];
const [yes, no, nothing] = [Buffer.from("true"), Buffer.from("false"), Buffer.from("null")];
const escapes = new Set(Buffer.from('"\\/bfnrt'));

/** Whether `bytes` has the wanted bytes from `at` on. */
export function isAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let index = 0; index < wanted.length; index += 1) {
    if (bytes[at + index] !== wanted[index]) return false;
  }
  return true;
}

/**
 * Reads one JSON value after the other from a line of UTF-8, without making them. The line ends at a line feed, or at
 * the end of the bytes: neither is part of a value. Whatever it accepts, `JSON.parse` accepts too; it is not certain
 * about anything else.
 */
export class ValueScanner {
  /** Where it continues. */
  at = 0;
  /** Where the last value begins and ends; for a text, without its quotes. */
  start = 0;
  end = 0;
  /** Its flags, as in cells. */
  flags = 0;
  #bytes: Uint8Array = Buffer.alloc(0);

  begin(bytes: Uint8Array, at: number): void {
    this.#bytes = bytes;
    this.at = at;
  }

  /** Skips blanks; returns the byte after them, or 0 if there is none. */
  next(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.at] ?? 0;
    while (byte === 0x20 || byte === 0x09 || byte === 0x0d) {
      this.at += 1;
      byte = bytes[this.at] ?? 0;
    }
    return byte;
  }

  /** Reads the wanted byte after any blanks; false if there is another one. */
  take(wanted: number): boolean {
    if (this.next() !== wanted) return false;
    this.at += 1;
    return true;
  }

  /** Reads the value after any blanks; false where it is not certain about it. */
  value(depth = 1): boolean {
    const first = this.next();
    switch (first) {
      case quote:
        return this.text();
      case brace:
      case bracket:
        return this.#nested(first, depth);
      case 0x74:
        return this.#word(yes, booleanCell);
      case 0x66:
        return this.#word(no, booleanCell);
      case 0x6e:
        return this.#word(nothing, nullCell);
      default:
        return this.#number();
    }
  }

  /** Reads the text that begins here, with its quotes; a text with an escape is an `otherCell`. */
  text(): boolean {
    const bytes = this.#bytes;
    const start = this.at + 1;
    let at = start;
    let flags = 0;
    for (let byte = bytes[at] ?? 0; byte !== quote; byte = bytes[at] ?? 0) {
      if (byte < 0x20) return false;
      if (byte === backslash) {
        flags |= otherCell;
        at += 1;
        if (!this.#isEscape(at)) return false;
      } else if (byte > 0x7f) flags |= notAscii;
      at += 1;
    }
    this.start = start;
    this.end = at;
    this.flags = flags;
    this.at = at + 1;
    return true;
  }

  #isEscape(at: number): boolean {
    const bytes = this.#bytes;
    const letter = bytes[at] ?? 0;
    if (letter !== smallU) return escapes.has(letter);
    for (let index = at + 1; index <= at + 4; index += 1) {
      if (!isHexDigit(bytes[index] ?? 0)) return false;
    }
    return true;
  }

  #word(word: Uint8Array, flag: number): boolean {
    return isAt(this.#bytes, this.at, word) && this.#found(this.at + word.length, flag);
  }

  #number(): boolean {
    const bytes = this.#bytes;
    const first = bytes[this.at] === minus ? this.at + 1 : this.at;
    let end = this.#digitsEnd(first);
    if (end === first || (bytes[first] === zero && end > first + 1)) return false;
    if (bytes[end] === dot) {
      const decimals = end + 1;
      end = this.#digitsEnd(decimals);
      if (end === decimals) return false;
    }
    if (bytes[end] === smallE || bytes[end] === largeE) {
      const sign = bytes[end + 1];
      const digits = sign === plus || sign === minus ? end + 2 : end + 1;
      end = this.#digitsEnd(digits);
      if (end === digits) return false;
    }
    return this.#found(end, numberCell);
  }

  #digitsEnd(from: number): number {
    const bytes = this.#bytes;
    let end = from;
    for (let byte = bytes[end] ?? 0; byte >= zero && byte <= nine; byte = bytes[end] ?? 0) end += 1;
    return end;
  }

  #found(end: number, flags: number): boolean {
    this.start = this.at;
    this.end = end;
    this.flags = flags;
    this.at = end;
    return true;
  }

  /** Reads an object or a list; each of its members must be valid too. */
  #nested(open: number, depth: number): boolean {
    const start = this.at;
    if (depth === recordDepthMax) return false;
    this.at += 1;
    const close = open === brace ? braceEnd : bracketEnd;
    if (!this.take(close)) {
      do {
        if (open === brace && !(this.next() === quote && this.text() && this.take(colon)))
          return false;
        if (!this.value(depth + 1)) return false;
      } while (this.take(comma));
      if (!this.take(close)) return false;
    }
    this.start = start;
    this.end = this.at;
    this.flags = otherCell;
    return true;
  }
}

function isHexDigit(byte: number): boolean {
  const letter = byte | 0x20;
  return (byte >= zero && byte <= nine) || (letter >= 0x61 && letter <= 0x66);
}
