import { isUtf8 } from "node:buffer";

import { doubledQuote, notAscii } from "../../../src/records/cells.ts";
import type { Encoding } from "../config.ts";
import type { Scanner } from "./scan.ts";
import type { Window } from "./window.ts";

/** Makes the strings of the fields a scanner found. */
export interface DecodedText {
  /** Takes in what the window holds from `window.at` on; called after every `append` and `finish`. */
  load(): void;
  /** False when something that was taken in is not valid, so that each row must be checked. */
  readonly isValid: boolean;
  /** The value of a field of the scanner's last row. */
  value(field: number): string;
  /** Index of the first unit of the last row that the encoding does not know, or -1. */
  invalidAt(): number;
  /** At most `charsMax` characters of the last row, with replacements for what cannot be decoded. */
  row(charsMax: number): string;
}

/** Makes the text of an encoding over a window and its scanner; `quote` is the character that is doubled in quotes. */
export function decodedTextOf(encoding: Encoding, reading: Reading): DecodedText {
  if (encoding === "utf-8") return new Utf8Text(reading);
  if (encoding === "windows-1252") return new Windows1252Text(reading);
  return new Utf16Text(reading);
}

type Reading = {
  readonly window: Window;
  readonly scanner: Scanner;
  readonly quote: string | false;
};

/** The part that the encodings share: the block is decoded once, and fields are cut from it. */
abstract class BlockText implements DecodedText {
  protected readonly window: Window;
  protected readonly scanner: Scanner;
  protected first = 0;
  isValid = true;
  readonly #quote: string;
  #block: string | undefined;

  constructor({ window, scanner, quote }: Reading) {
    this.window = window;
    this.scanner = scanner;
    this.#quote = quote === false ? "" : quote;
  }

  abstract load(): void;
  protected abstract decodeBlock(): string;
  protected abstract decode(start: number, end: number): string;
  protected abstract findInvalid(start: number, end: number): number;

  /** The window decoded from `first` on, one character a unit; made on demand: most blocks of cells do not need it. */
  protected get block(): string {
    return (this.#block ??= this.decodeBlock());
  }

  /** Takes in what the window holds from `window.at` on. */
  protected begin(): void {
    this.first = this.window.at;
    this.#block = undefined;
  }

  value(field: number): string {
    const flags = this.scanner.flags[field] ?? 0;
    const start = this.scanner.starts[field] ?? 0;
    const end = this.scanner.ends[field] ?? 0;
    const text =
      (flags & notAscii) === 0
        ? this.block.substring(start - this.first, end - this.first)
        : this.decode(start, end);
    return (flags & doubledQuote) === 0
      ? text
      : text.replaceAll(this.#quote + this.#quote, this.#quote);
  }

  invalidAt(): number {
    return this.isValid ? -1 : this.findInvalid(this.scanner.rowStart, this.scanner.rowEnd);
  }

  row(charsMax: number): string {
    const { rowStart, rowEnd } = this.scanner;
    // No character takes more than four units.
    return this.decode(rowStart, Math.min(rowEnd, rowStart + 4 * charsMax)).slice(0, charsMax);
  }
}

/**
 * UTF-8. Cutting from Latin-1 is right for ASCII fields and costs a tenth of decoding each field by itself; other
 * fields are decoded one by one.
 */
class Utf8Text extends BlockText {
  load(): void {
    const { bytes, at, end, isFinal } = this.window;
    this.begin();
    this.isValid = isUtf8(bytes.subarray(at, isFinal ? end : withoutCutSequence(bytes, end)));
  }

  protected decodeBlock(): string {
    return this.window.bytes.toString("latin1", this.first, this.window.end);
  }

  protected decode(start: number, end: number): string {
    return this.window.bytes.toString("utf8", start, end);
  }

  protected findInvalid(start: number, end: number): number {
    const bytes = this.window.bytes.subarray(start, end);
    if (isUtf8(bytes)) return -1;
    // Everything before the first replacement is valid, so its length in bytes leads to the fault.
    const text = this.decode(start, end);
    let offset = 0;
    let before = 0;
    for (let at = text.indexOf("\ufffd"); ; at = text.indexOf("\ufffd", at + 1)) {
      offset += Buffer.byteLength(text.slice(before, at));
      before = at;
      const isReal =
        bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd;
      if (!isReal) return start + offset;
    }
  }
}

/**
 * The index before a UTF-8 sequence that the end of the window may have cut; its bytes are judged with the
 * next block.
 */
function withoutCutSequence(bytes: Buffer, end: number): number {
  for (let at = end - 1; at >= 0 && at > end - 4; at -= 1) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) return end;
    if (byte >= 0xc0) return at;
  }
  return end;
}

/** The characters of 0x80 to 0x9f; five of them are undefined. */
const windows1252High = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";
const windows1252Undefined = /[\u0081\u008d\u008f\u0090\u009d]/;

/** Windows-1252: Latin-1 but for 32 characters. */
class Windows1252Text extends BlockText {
  load(): void {
    this.begin();
    this.isValid = !windows1252Undefined.test(this.block);
  }

  protected decodeBlock(): string {
    return this.window.bytes.toString("latin1", this.first, this.window.end);
  }

  protected decode(start: number, end: number): string {
    return this.#latin1(start, end).replace(
      /[\u0080-\u009f]/g,
      (unit) => windows1252High[unit.charCodeAt(0) - 0x80] ?? unit,
    );
  }

  protected findInvalid(start: number, end: number): number {
    const at = this.#latin1(start, end).search(windows1252Undefined);
    return at === -1 ? -1 : start + at;
  }

  #latin1(start: number, end: number): string {
    return this.block.substring(start - this.first, end - this.first);
  }
}

/** UTF-16, which the window holds little-endian. */
class Utf16Text extends BlockText {
  load(): void {
    this.begin();
    this.isValid = this.block.isWellFormed();
  }

  protected decodeBlock(): string {
    return this.window.bytes.toString("utf16le", this.first * 2, this.window.end * 2);
  }

  protected decode(start: number, end: number): string {
    return this.block.substring(start - this.first, end - this.first);
  }

  protected findInvalid(start: number, end: number): number {
    const text = this.decode(start, end);
    if (text.isWellFormed()) return -1;
    // Well-formed text repairs to itself, so the first difference is the fault.
    const repaired = text.toWellFormed();
    let at = 0;
    while (text[at] === repaired[at]) at += 1;
    return start + at;
  }
}
