import { hash } from "node:crypto";

import { rowBytesMax } from "../../../src/limits.ts";
import type { PageMemory } from "../../../src/records/page-memory.ts";
import type { Encoding } from "../config.ts";
import { blockBytes, hashedBytes } from "../limits.ts";

/**
 * Room for the hashed bytes, a row that is not yet too long, and the block that shows that it is. Even, because units
 * of UTF-16 are.
 */
const windowBytes = hashedBytes + 2 * rowBytesMax + blockBytes;

/** The high byte after the last byte of a UTF-16 text of odd length: the two make a unit that no text may hold. */
const loneSurrogate = 0xd8;

/**
 * The part of a file in memory: the bytes by which a position is recognised, the row being read, and the bytes read
 * after it. It grows with a small file and no further, so memory does not grow with a large one (I7). Indices count
 * units: bytes, or pairs of bytes in UTF-16.
 */
export class Window {
  /** Bytes of one unit: 1 or 2. */
  readonly width: 1 | 2;
  /** Index of the next row. */
  at = 0;
  /** Index after the last unit. */
  end = 0;
  /** Whether the file ends with the window. */
  isFinal = false;
  /** Offset in the file of the first byte of the window. */
  #offset: number;
  #bytesEnd = 0;
  #bytes: Buffer = Buffer.alloc(0);
  #units: Uint8Array | Uint16Array = this.#bytes;
  readonly #isBigEndian: boolean;
  readonly #memory: PageMemory | undefined;

  /** The window takes its bytes from `memory`, and gives them back when it is closed. @default memory of its own */
  constructor(encoding: Encoding, offset: number, memory?: PageMemory) {
    this.#memory = memory;
    this.#offset = offset;
    this.#isBigEndian = encoding === "utf-16be";
    this.width = this.#isBigEndian || encoding === "utf-16le" ? 2 : 1;
  }

  /** The bytes in the order of the encoding, UTF-16 always little-endian. It may be another buffer after `append`. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  get units(): Uint8Array | Uint16Array {
    return this.#units;
  }

  /** Adds the next bytes of the file, at most `blockBytes`. Bytes far enough before `at` may be dropped. */
  append(piece: Uint8Array): void {
    if (this.#bytesEnd + piece.length > windowBytes) this.#shift();
    this.#makeRoom(this.#bytesEnd + piece.length);
    this.#bytes.set(piece, this.#bytesEnd);
    const whole = this.end * this.width;
    this.#bytesEnd += piece.length;
    this.end = Math.floor(this.#bytesEnd / this.width);
    if (this.#isBigEndian) this.#bytes.subarray(whole, this.end * this.width).swap16();
  }

  /** Marks the end of the file. */
  finish(): void {
    this.isFinal = true;
    if (this.#bytesEnd === this.end * this.width) return;
    this.#bytes[this.#bytesEnd] = loneSurrogate;
    this.end += 1;
  }

  /** Gives its memory back; nothing in it may be read afterwards. */
  close(): void {
    this.#memory?.giveBack(this.#bytes);
    this.#bytes = Buffer.alloc(0);
    this.#units = this.#bytes;
  }

  /** The offset in the file of a unit. */
  offsetOf(index: number): number {
    return this.#offset + Math.min(index * this.width, this.#bytesEnd);
  }

  /** Bytes of the row that is not complete yet. */
  get pendingBytes(): number {
    return (this.end - this.at) * this.width;
  }

  /** The sha256 of the last 64 KB before `at`, or of all there is. */
  hashBefore(): string {
    const end = Math.min(this.at * this.width, this.#bytesEnd);
    return hash("sha256", this.#bytes.subarray(Math.max(0, end - hashedBytes), end));
  }

  /** Grows by doubling: most files are small, and room for the longest row would cost more than they do. */
  #makeRoom(bytes: number): void {
    const size = this.#bytes.length;
    // Includes room for the byte that `finish` writes after an odd last byte.
    const needed = bytes + (bytes % 2);
    if (needed <= size) return;
    const wanted = Math.min(windowBytes, Math.max(needed, 2 * size));
    const grown = this.#memory?.take(wanted) ?? Buffer.allocUnsafeSlow(wanted);
    this.#bytes.copy(grown, 0, 0, this.#bytesEnd);
    this.#memory?.giveBack(this.#bytes);
    this.#bytes = grown;
    this.#units = this.width === 2 ? new Uint16Array(grown.buffer) : grown;
  }

  #shift(): void {
    const from = Math.max(0, this.at * this.width - hashedBytes);
    this.#bytes.copyWithin(0, from, this.#bytesEnd);
    this.#offset += from;
    this.#bytesEnd -= from;
    this.at -= from / this.width;
    this.end = Math.floor(this.#bytesEnd / this.width);
  }
}
