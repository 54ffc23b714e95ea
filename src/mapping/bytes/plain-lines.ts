import type { Cells } from "../../records/cells.ts";
import { JsonlWriter } from "../../records/jsonl.ts";
import { aligned, makeMemory, type WasmMemory, WasmProgram } from "../../wasm/program.ts";
import { bindPlan } from "./bind.ts";
import { planBytes } from "./plan-bytes.ts";
import type { RecordPlan } from "./plan.ts";

/** What wasm/lines/index.ts exports; addresses and sizes in bytes. */
type LineProgram = {
  readonly memory: WasmMemory;
  heapAt(): number;
  setPlan(at: number): void;
  setCells(at: number, count: number, places: number, cells: number, sizes: number): void;
  setQuote(quote: number): void;
  write(row: number, rows: number, at: number, end: number, base: number, lines: number): number;
  roomNeeded(): number;
};

const lineProgram = new WasmProgram<LineProgram>(new URL("./lines.wasm", import.meta.url));

/** Numbers that locate a record; see `PlainLines.places`. */
export const placeWords = 5;

/** Bytes after the copied ones that may be read, but are never used. */
const spareBytes = 64;

const wordBytes = Int32Array.BYTES_PER_ELEMENT;

/**
 * Writes the lines of plain rows from their cells, a page at a time. It leaves rows that it is not certain of to
 * objects, row by row: it refuses nothing, and never writes what they would not.
 */
export class PlainLines {
  readonly #plan: RecordPlan;
  readonly #program = lineProgram.take();
  /** The lines of the page; the caller writes the lines of objects among them. */
  readonly lines = new JsonlWriter((bytesMin) => this.#room(bytesMin));
  /**
   * Five numbers for each row whose line was written: its index and, from the beginning of the lines, where the line
   * begins, where it ends without its line feed, and where its key begins and ends between its quotes, as JSON writes
   * it.
   */
  places = new Int32Array(0);
  #columns: readonly string[] | undefined;
  #cellsAt = this.#program.heapAt();
  #placesAt = this.#cellsAt;
  #linesAt = this.#cellsAt;
  #rows = 0;

  constructor(plan: RecordPlan) {
    this.#plan = plan;
  }

  /** Copies the cells of a page; the lines of the previous page must have been taken out. */
  begin(cells: Cells): void {
    const { columns, bytes, count, flags, sizes, quote } = cells;
    if (columns !== this.#columns) this.#bind(columns);
    const room = count * columns.length;
    const startsAt = aligned(this.#cellsAt + bytes.length + spareBytes);
    const sizesAt = aligned(startsAt + room * (2 * wordBytes + 1));
    this.#placesAt = aligned(sizesAt + (sizes === undefined ? 0 : count * wordBytes));
    this.#linesAt = this.#placesAt + count * placeWords * wordBytes;
    this.#rows = count;
    this.lines.bytes = this.#room(2 * bytes.length);
    const { buffer } = this.#program.memory;
    const memory = new Uint8Array(buffer);
    memory.set(bytes, this.#cellsAt);
    const words = new Int32Array(buffer, startsAt, 2 * room);
    words.set(cells.starts.subarray(0, room));
    words.set(cells.ends.subarray(0, room), room);
    memory.set(flags.subarray(0, room), startsAt + words.byteLength);
    if (sizes !== undefined) {
      new Int32Array(buffer, sizesAt, count).set(sizes.subarray(0, count));
    }
    this.#program.setQuote(quote);
    const sizesOrNone = sizes === undefined ? 0 : sizesAt;
    this.#program.setCells(this.#cellsAt, bytes.length, startsAt, room, sizesOrNone);
  }

  /** Writes the lines of the rows from `row` on up to the first row that needs an object, and returns that row. */
  write(row: number): number {
    for (let from = row; ;) {
      const { bytes, end } = this.lines;
      const [at, room] = [this.#linesAt + end, this.#linesAt + bytes.length];
      const program = this.#program;
      const next = program.write(from, this.#rows, at, room, this.#linesAt, this.#placesAt);
      if (next > from) this.lines.end = (this.places[(next - 1) * placeWords + 2] ?? end) + 1;
      const needed = next === this.#rows ? 0 : program.roomNeeded();
      if (needed === 0) return next;
      this.lines.makeRoom(needed);
      from = next;
    }
  }

  /** Releases the memory; nothing is called afterwards. */
  close(): void {
    lineProgram.giveBack(this.#program);
  }

  #bind(columns: readonly string[]): void {
    const at = this.#program.heapAt();
    const plan = planBytes(bindPlan(this.#plan, columns), columns.length, at);
    this.#cellsAt = aligned(at + plan.length);
    this.#makeMemory(this.#cellsAt);
    new Uint8Array(this.#program.memory.buffer).set(plan, at);
    this.#program.setPlan(at);
    this.#columns = columns;
  }

  /** Memory for this many bytes of lines and the spare bytes; it begins with the lines written so far. */
  #room(bytesMin: number): Buffer {
    this.#makeMemory(this.#linesAt + bytesMin + spareBytes);
    const { buffer } = this.#program.memory;
    this.places = new Int32Array(buffer, this.#placesAt, this.#rows * placeWords);
    return Buffer.from(buffer, this.#linesAt);
  }

  #makeMemory(end: number): void {
    makeMemory(this.#program.memory, end);
  }
}
