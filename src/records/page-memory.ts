/** Bytes of idle memory that are kept; what comes back beyond them is left to the collector. */
const idleBytesMax = 32 * 1024 * 1024;

/** Sizes are multiples of it, so that pages of about the same size can share a piece. */
const unitBytes = 64 * 1024;

/** The same for pages of a few rows: a small file is read without memory for a large one. */
const smallUnitBytes = 4 * 1024;

/**
 * Memory for what comes and goes with each page. Memory that is new for each has the collector come for it: half a
 * hundred times for 100 MB, a sixth of a staging's processor time.
 */
export class PageMemory {
  readonly #idle: Buffer[] = [];
  #idleBytes = 0;

  /** A piece of at least so many bytes, in which is whatever was there before. */
  take(bytesMin: number): Buffer {
    const at = this.#idle.findLastIndex(({ length }) => length >= bytesMin);
    // Where none is large enough, one goes: pages have become larger.
    const [piece] = this.#idle.splice(at === -1 ? 0 : at, 1);
    this.#idleBytes -= piece?.length ?? 0;
    if (at !== -1 && piece !== undefined) return piece;
    const unit = bytesMin < unitBytes ? smallUnitBytes : unitBytes;
    return Buffer.allocUnsafeSlow(Math.ceil(bytesMin / unit) * unit);
  }

  /** Takes back a piece that was taken, once, of which nothing is read any more. */
  giveBack(piece: Buffer): void {
    if (piece.length === 0 || this.#idleBytes + piece.length > idleBytesMax) return;
    this.#idle.push(piece);
    this.#idleBytes += piece.length;
  }
}
