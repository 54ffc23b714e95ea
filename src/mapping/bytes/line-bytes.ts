import { escapeOf, unicodeEscape } from "./escapes.ts";

const backslash = 0x5c;
const zero = 0x30;
const hexDigits = Buffer.from("0123456789abcdef");

/** Puts the bytes of a line together. */
export class LineBytes {
  /** Where the next byte goes. */
  at = 0;
  #out: Buffer = Buffer.alloc(0);

  /** Continues at `at` of this memory, which has room for all that follows. */
  begin(out: Buffer, at: number): void {
    this.#out = out;
    this.at = at;
  }

  byte(byte: number): void {
    this.#out[this.at] = byte;
    this.at += 1;
  }

  /** Puts bytes as they are, from the index `from` to the end. */
  put(bytes: Uint8Array, from = 0): void {
    const out = this.#out;
    let { at } = this;
    // Not by `set`, which takes longer to call than so few bytes to copy.
    for (let index = from; index < bytes.length; index += 1) {
      out[at] = bytes[index] ?? 0;
      at += 1;
    }
    this.at = at;
  }

  /** Puts a range of bytes as they are. */
  range(bytes: Uint8Array, from: number, to: number): void {
    const out = this.#out;
    let { at } = this;
    for (let index = from; index < to; index += 1) {
      out[at] = bytes[index] ?? 0;
      at += 1;
    }
    this.at = at;
  }

  /** Puts a text as JSON writes it between quotes, up to what has to be escaped; answers where that is, or `to`. */
  plainText(bytes: Uint8Array, from: number, to: number): number {
    const out = this.#out;
    let { at } = this;
    let index = from;
    for (; index < to; index += 1) {
      const byte = bytes[index] ?? 0;
      if (escapeOf[byte] !== 0) break;
      out[at] = byte;
      at += 1;
    }
    this.at = at;
    return index;
  }

  /** Puts one byte of a text as JSON writes it between quotes. */
  textByte(byte: number): void {
    const letter = escapeOf[byte] ?? 0;
    if (letter === 0) {
      this.byte(byte);
      return;
    }
    this.byte(backslash);
    this.byte(letter);
    if (letter !== unicodeEscape) return;
    this.byte(zero);
    this.byte(zero);
    this.byte(hexDigits[byte >> 4] ?? zero);
    this.byte(hexDigits[byte & 0x0f] ?? zero);
  }

  /** The text between two places, as UTF-8. */
  textOf(from: number, to: number): string {
    return this.#out.toString("utf8", from, to);
  }
}
