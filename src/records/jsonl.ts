/** Most UTF-8 bytes of one UTF-16 code unit. */
const bytesPerCharMax = 3;

const lineFeed = 0x0a;

/** Returns memory of at least this many bytes, which begins with the lines written so far. */
type Grow = (bytesMin: number, lines: Buffer) => Buffer;

const moreMemory: Grow = (bytesMin, lines) => {
  const grown = Buffer.allocUnsafeSlow(bytesMin);
  lines.copy(grown);
  return grown;
};

/** Gathers the lines of a page, always in the same memory. */
export class JsonlWriter {
  /** Lines up to `end`; another buffer once room was made. */
  bytes: Buffer = Buffer.alloc(0);
  /** Where the next line begins. */
  end = 0;
  readonly #grow: Grow;

  /** `grow` returns more memory, with the lines in it. @default memory of its own */
  constructor(grow: Grow = moreMemory) {
    this.#grow = grow;
  }

  /** Makes room for this many more bytes. */
  makeRoom(bytes: number): void {
    if (this.end + bytes <= this.bytes.length) return;
    this.bytes = this.#grow(2 * (this.end + bytes), this.bytes.subarray(0, this.end));
  }

  /** Writes a line and its line end. */
  write(line: string): void {
    this.makeRoom(line.length * bytesPerCharMax + 1);
    this.end += this.bytes.write(line, this.end);
    this.bytes[this.end] = lineFeed;
    this.end += 1;
  }

  /** Takes the lines out, to the beginning of `memory` if that is given. */
  take(memory: Buffer = Buffer.allocUnsafeSlow(this.end)): Buffer {
    const bytes = this.bytes.copy(memory, 0, 0, this.end);
    this.end = 0;
    return memory.subarray(0, bytes);
  }
}
