import { rowBytesMax } from "../../../src/limits.ts";
import { aligned, makeMemory, type WasmMemory, WasmProgram } from "../../../src/wasm/program.ts";
import type { Dialect } from "./scan.ts";
import type { Window } from "./window.ts";

/** The exports of wasm/csv/index.ts; addresses and sizes in bytes. */
type ScanProgram = {
  readonly memory: WasmMemory;
  heapAt(): number;
  setDialect(delimiter: number, quote: number, columns: number, bytesMax: number): void;
  setMemory(bytesEnd: number, places: number, cells: number): void;
  scan(
    at: number,
    from: number,
    firstLine: number,
    lines: number,
    rowsMax: number,
    bytesMax: number,
  ): number;
  lastRowEnd(): number;
  nextRow(): number;
  nextLine(): number;
  bytesOfRows(): number;
};

const scanProgram = new WasmProgram<ScanProgram>(new URL("./scan.wasm", import.meta.url));

/** Bytes after those of the window that are read but not used. */
const spareBytes = 16;

const wordBytes = Int32Array.BYTES_PER_ELEMENT;

/** The request for a scan. */
export type PlainScan = {
  /** Added to each place, so that it points to where the bytes of the window will be. */
  readonly shift: number;
  /** Line of the row at `window.at`. */
  readonly line: number;
  readonly rowsMax: number;
  /** Bytes of rows after which the scan stops. */
  readonly bytesMax: number;
};

/** Consecutive rows without doubt; their arrays are valid until the next scan. */
export type PlainRows = {
  readonly count: number;
  /** Index in the window where the last one ends, and the bytes of all of them; line ends are not counted. */
  readonly end: number;
  readonly bytes: number;
  /** Index and line of the row after them. */
  readonly next: number;
  readonly nextLine: number;
  /** The line of each. */
  readonly lines: Uint32Array;
  /** The cells of all, as `Cells` has them. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly flags: Uint8Array;
};

/**
 * Finds the cells of rows that leave no doubt, many at a time, in UTF-8. Every other row, and the last one of a window,
 * is left to the scanner, which would find the same in these rows too.
 */
export class PlainScanner {
  readonly #program = scanProgram.take();
  readonly #columns: number;
  readonly #bytesAt: number;
  /** Index in the window of the byte at `#bytesAt`. */
  #first = 0;
  #bytesEnd = 0;

  constructor({ delimiter, quote }: Dialect, columns: number) {
    this.#columns = columns;
    this.#bytesAt = this.#program.heapAt();
    const itsQuote = quote === false ? 0 : quote.charCodeAt(0);
    this.#program.setDialect(delimiter.charCodeAt(0), itsQuote, columns, rowBytesMax);
  }

  /** Copies the window from `window.at` on; called after every `append` and `finish`. */
  load({ at, end, bytes }: Window): void {
    this.#first = at;
    this.#bytesEnd = this.#bytesAt + end - at;
    makeMemory(this.#program.memory, this.#bytesEnd + spareBytes);
    const memory = new Uint8Array(this.#program.memory.buffer);
    memory.set(bytes.subarray(at, end), this.#bytesAt);
  }

  /** Finds the rows at `at` of the window. */
  scan(at: number, { shift, line, rowsMax, bytesMax }: PlainScan): PlainRows {
    const program = this.#program;
    const room = rowsMax * this.#columns;
    const linesAt = aligned(this.#bytesEnd + spareBytes);
    const startsAt = linesAt + rowsMax * wordBytes;
    makeMemory(program.memory, startsAt + room * (2 * wordBytes + 1));
    program.setMemory(this.#bytesEnd, startsAt, room);
    const address = this.#bytesAt - this.#first;
    const count = program.scan(address + at, address - shift, line, linesAt, rowsMax, bytesMax);
    const { buffer } = program.memory;
    const cells = count * this.#columns;
    return {
      count,
      end: program.lastRowEnd() - address,
      bytes: program.bytesOfRows(),
      next: program.nextRow() - address,
      nextLine: program.nextLine(),
      lines: new Uint32Array(buffer, linesAt, count),
      starts: new Int32Array(buffer, startsAt, cells),
      ends: new Int32Array(buffer, startsAt + room * wordBytes, cells),
      flags: new Uint8Array(buffer, startsAt + 2 * room * wordBytes, cells),
    };
  }

  /** Releases the memory; nothing is called afterwards. */
  close(): void {
    scanProgram.giveBack(this.#program);
  }
}
