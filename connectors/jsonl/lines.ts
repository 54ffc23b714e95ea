import type { FileHandle } from "node:fs/promises";

import { otherFile, type JsonlRequest } from "./config.ts";
import type { LineRange } from "./line-cells.ts";

/** A longer line is a reject, and is not held; a page ends after this many bytes. */
export const lineBytesMax = 4 * 1024 * 1024;
/** Lines that are handed out at once: each is an object, and a block of blank lines has millions. */
const linesAtOnce = 10_000;
const lineFeed = 0x0a;
const newline = Buffer.from("\n");

/** A line without its line end, in the memory of its block; a line that is too long is not held. */
export type JsonlLine = LineRange & {
  readonly block: Buffer;
  readonly isLong: boolean;
  /** Offset in the file of the line after it. */
  readonly end: number;
};

/** The lines of a span, many at a time. */
export async function* linesOf(
  file: FileHandle,
  request: JsonlRequest,
  size: number,
): AsyncGenerator<readonly JsonlLine[]> {
  const end = request.to?.offset ?? size;
  // In a file that grows, a last line without its newline is still being written.
  const mayBeTorn = request.config.append_only && request.to === undefined;
  for (let at = request.from?.offset ?? 0, isLong = false; at < end;) {
    request.signal.throwIfAborted();
    const block = Buffer.alloc(Math.min(lineBytesMax + 1, end - at));
    const { bytesRead } = await file.read(block, 0, block.length, at);
    if (bytesRead < block.length) throw otherFile(request);
    let lines: JsonlLine[] = [];
    let from = 0;
    for (let to = block.indexOf(lineFeed); to !== -1; to = block.indexOf(lineFeed, from)) {
      lines.push({ block, from, to, isLong, end: at + to + 1 });
      isLong = false;
      from = to + 1;
      if (lines.length < linesAtOnce) continue;
      yield lines;
      lines = [];
    }
    const rest = block.length - from;
    isLong ||= rest > lineBytesMax;
    const isLast = at + block.length === end;
    if (isLast && rest > 0 && !mayBeTorn)
      lines.push({ block, from, to: block.length, isLong, end });
    yield lines;
    at += isLast || isLong ? block.length : from;
  }
}

/** Lines in one memory. */
export type Joined = { readonly bytes: Buffer; readonly stretches: readonly LineRange[] };

/** Brings the lines of a page into one memory: they are in several blocks where a block ends among them. */
export function joined(lines: readonly JsonlLine[]): Joined {
  const [first] = lines;
  const blocks = new Set(lines.map(({ block }) => block));
  if (first === undefined || blocks.size === 1) {
    return { bytes: first?.block ?? Buffer.alloc(0), stretches: lines };
  }
  const pieces: Buffer[] = [];
  let at = 0;
  const stretches = lines.map(({ block, from, to, isLong }) => {
    // A reader ends a line at its line feed, or at the end of the bytes.
    const piece = isLong ? newline : Buffer.concat([block.subarray(from, to), newline]);
    pieces.push(piece);
    const start = at;
    at += piece.length;
    return { from: start, to: at - 1 };
  });
  return { bytes: Buffer.concat(pieces), stretches };
}
