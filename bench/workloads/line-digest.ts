import { createHash } from "node:crypto";

/** The sum of the hashes of lines: the same for the same lines in any order, each as often. */
export class LineDigest {
  readonly #sums = new Uint32Array(8);
  #lines = 0;

  /** Counts a line, given without its line end. */
  add(line: string | Uint8Array): void {
    const hash = createHash("sha256").update(line).digest();
    // Each sum wraps by itself.
    this.#sums.forEach((sum, at) => (this.#sums[at] = sum + hash.readUInt32LE(at * 4)));
    this.#lines += 1;
  }

  /** How many lines there were, and their sum. */
  toString(): string {
    return `${this.#lines} lines, ${Buffer.from(this.#sums.buffer).toString("hex")}`;
  }
}

const newline = 10;

/** The lines of a stream of bytes, split at LF only; the rest after the last LF is a line, too. */
export async function* linesOfBytes(pieces: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let from = 0;
    for (let to = bytes.indexOf(newline); to !== -1; to = bytes.indexOf(newline, from)) {
      yield bytes.subarray(from, to);
      from = to + 1;
    }
    rest = bytes.subarray(from);
  }
  if (rest.length > 0) yield rest;
}
