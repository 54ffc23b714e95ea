import { isUtf8 } from "node:buffer";

const lineFeed = 0x0a;

/** One line without its line feed; undefined stands for a line that is not UTF-8. */
export type Line = string | undefined;

/**
 * Splits bytes into lines as they come, only at LF: node:readline would also split at U+2028, which JSON allows inside
 * a string.
 */
export class LineSplitter {
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  /** Bytes of the unfinished line. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** The lines that end in this piece. The piece is not kept. */
  push(piece: Buffer): Line[] {
    const firstEnd = piece.indexOf(lineFeed);
    const lastEnd = piece.lastIndexOf(lineFeed);
    if (firstEnd === -1) {
      this.#keep(piece);
      return [];
    }
    // Only the line that began in an earlier piece is copied; all others are decoded in place.
    const first = linesOf(this.#take(piece.subarray(0, firstEnd)));
    const others = firstEnd === lastEnd ? [] : linesOf(piece.subarray(firstEnd + 1, lastEnd));
    this.#keep(piece.subarray(lastEnd + 1));
    return first.concat(others);
  }

  /** The last line, when it does not end in a line feed. */
  end(): Line[] {
    return this.#pendingBytes === 0 ? [] : linesOf(this.#take(Buffer.alloc(0)));
  }

  #keep(rest: Buffer): void {
    if (rest.length === 0) return;
    this.#pending.push(Buffer.from(rest));
    this.#pendingBytes += rest.length;
  }

  #take(rest: Buffer): Buffer {
    const line = Buffer.concat([...this.#pending, rest]);
    this.#pending = [];
    this.#pendingBytes = 0;
    return line;
  }
}

/**
 * Decodes a whole block at once, which is five times as fast as line by line; only a block that is not UTF-8 is split
 * first.
 */
function linesOf(block: Buffer): Line[] {
  if (isUtf8(block)) return block.toString("utf8").split("\n");
  const lines: Line[] = [];
  for (let start = 0; start <= block.length;) {
    const found = block.indexOf(lineFeed, start);
    const end = found === -1 ? block.length : found;
    const line = block.subarray(start, end);
    lines.push(isUtf8(line) ? line.toString("utf8") : undefined);
    start = end + 1;
  }
  return lines;
}
