/** Bytes of idle memory that are kept; more than that is left to the collector. */
const idleBytesMax = 32 * 1024 * 1024;

/** Sizes are multiples of this, so that pages of about the same size can share a piece. */
const unitBytes = 64 * 1024;

/** The same for pages of a few rows: a small file is read without memory for a large one. */
const smallUnitBytes = 4 * 1024;

/**
 * Memory for data that comes and goes with each page. New memory for each page would make the collector run: some fifty
 * times for 100 MB, a sixth of a staging's processor time.
 */
export class PageMemory {
  readonly #idle: Buffer[] = [];
  #idleBytes = 0;

  /** A piece of at least this many bytes, with whatever was in it before. */
  take(bytesMin: number): Buffer {
    const at = this.#idle.findLastIndex(({ length }) => length >= bytesMin);
    // If none is large enough, one is dropped: pages have become larger.
    const [piece] = this.#idle.splice(at === -1 ? 0 : at, 1);
    this.#idleBytes -= piece?.length ?? 0;
    if (at !== -1 && piece !== undefined) return piece;
    const unit = bytesMin < unitBytes ? smallUnitBytes : unitBytes;
    return Buffer.allocUnsafeSlow(Math.ceil(bytesMin / unit) * unit);
  }

  /** Takes back, once, a piece that was taken; nothing of it is read any more. */
  giveBack(piece: Buffer): void {
    if (piece.length === 0 || this.#idleBytes + piece.length > idleBytesMax) return;
    this.#idle.push(piece);
    this.#idleBytes += piece.length;
  }
}
