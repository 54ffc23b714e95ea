import { isUtf8 } from "node:buffer";

import { otherCell, nullCell, notAscii, type Cells } from "../../../src/records/cells.ts";
import { PageMemory } from "../../../src/records/page-memory.ts";
import { cellRowBytesMax } from "../limits.ts";
import type { SourceColumn } from "../source.ts";
import { rowMaker, type PostgresRow } from "../sql/row.ts";
import { grownBytesMax, writerOf, type WriteValue } from "../sql/value-bytes.ts";
import { garbled } from "./garbled.ts";
import { rowHeadBytes, type RawRows } from "./raw-rows.ts";

/** Rows of a statement: from the index `from` on, up to `to`. */
export type RowSpan = { readonly rows: RawRows; readonly from: number; readonly to: number };

/** The cells of a page, and its rows, each of which is made when asked for. */
export type PostgresCells = Omit<Cells, "row"> & { row(index: number): PostgresRow };

const lengthBytes = 4;
const quote = 0x22;

/** Memory of pages that any reader released: a run has one reader for each chunk. */
const memory = new PageMemory();

/** Prepares to make cells of these columns; all cells share the names. */
export function cellMaker(columns: readonly SourceColumn[]): (of: RowSpan) => PostgresCells {
  const names = columns.map(({ name }) => name);
  const writers = columns.map((column) => writerOf(column));
  const makeRow = rowMaker(columns);
  return (of) => {
    const written = new CellWriter(of, writers);
    written.writeAll();
    const { bytes, piece, starts, ends, flags } = written;
    return {
      columns: names,
      count: of.to - of.from,
      bytes,
      starts,
      ends,
      flags,
      quote,
      row: (index) => makeRow(of.rows.texts(of.from + index, names.length)),
      release: () => memory.giveBack(piece),
    };
  };
}

/** Writes the cells of some rows one after the other, as the mapping reads them. */
class CellWriter {
  /** The memory of all that is written. */
  readonly piece: Buffer;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly flags: Uint8Array;
  readonly #of: RowSpan;
  readonly #writers: readonly (WriteValue | undefined)[];
  readonly #raw: Buffer;
  readonly #out: Buffer;
  /** The current value; one object for all, because a new one for each would be garbage. */
  readonly #sent: { readonly bytes: Buffer; from: number; to: number };
  #end = 0;
  /** The next cell. */
  #cell = 0;
  /** Whether a cell begins with a byte that no text in UTF-8 begins with. */
  #isBroken = false;

  constructor(of: RowSpan, writers: readonly (WriteValue | undefined)[]) {
    this.#of = of;
    this.#writers = writers;
    this.#raw = of.rows.bytes;
    this.#sent = { bytes: this.#raw, from: 0, to: 0 };
    const cells = (of.to - of.from) * writers.length;
    // One piece of memory, because making one and giving it back costs more than the work done in it.
    const places = 2 * cells * Int32Array.BYTES_PER_ELEMENT;
    this.piece = memory.take(places + cells + this.#bytesMax(cells));
    const { buffer, byteOffset } = this.piece;
    this.starts = new Int32Array(buffer, byteOffset, cells);
    this.ends = new Int32Array(buffer, byteOffset + places / 2, cells);
    this.flags = new Uint8Array(buffer, byteOffset + places, cells);
    this.#out = this.piece.subarray(places + cells);
  }

  get bytes(): Buffer {
    return this.#out.subarray(0, this.#end);
  }

  writeAll(): void {
    const { rows, from, to } = this.#of;
    for (let row = from; row < to; row += 1) {
      if (this.#isLong(row)) this.#leave();
      else this.#write(rows.startOf(row), rows.startOf(row + 1));
    }
    if (this.#isBroken || !isUtf8(this.bytes)) this.#leaveBroken();
  }

  #bytesMax(cells: number): number {
    const { rows, from, to } = this.#of;
    let bytes = cells * (grownBytesMax - lengthBytes);
    for (let row = from; row < to; row += 1) {
      if (!this.#isLong(row)) bytes += rows.startOf(row + 1) - rows.startOf(row);
    }
    return Math.max(0, bytes);
  }

  /** Whether a row is too long to be worth copying: it is mapped as an object in any case. */
  #isLong(row: number): boolean {
    const { rows } = this.#of;
    return rows.startOf(row + 1) - rows.startOf(row) > cellRowBytesMax;
  }

  /** Leaves a row to objects. */
  #leave(): void {
    const next = this.#cell + this.#writers.length;
    this.starts.fill(this.#end, this.#cell, next);
    this.ends.fill(this.#end, this.#cell, next);
    this.flags.fill(otherCell, this.#cell, next);
    this.#cell = next;
  }

  #write(from: number, to: number): void {
    const raw = this.#raw;
    let at = from + rowHeadBytes;
    const columns = raw.readInt16BE(at - 2);
    if (columns !== this.#writers.length) throw garbled();
    for (const writer of this.#writers) {
      const length = at + lengthBytes > to ? to : raw.readInt32BE(at);
      at += lengthBytes;
      if (length > to - at) throw garbled();
      this.#writeCell(at, length, writer);
      at += Math.max(0, length);
    }
    if (at !== to) throw garbled();
  }

  /** `length` is -1 for NULL. */
  #writeCell(from: number, length: number, writer: WriteValue | undefined): void {
    const cell = this.#cell;
    this.#cell = cell + 1;
    this.starts[cell] = this.#end;
    this.flags[cell] = length === -1 ? nullCell : 0;
    if (writer === undefined) this.#copy(from, from + length);
    else if (length !== -1) this.#convert(from, from + length, writer);
    this.ends[cell] = this.#end;
  }

  #copy(from: number, to: number): void {
    const [raw, out] = [this.#raw, this.#out];
    let at = this.#end;
    let seen = 0;
    for (let index = from; index < to; index += 1) {
      const byte = raw[index] ?? 0;
      out[at] = byte;
      at += 1;
      seen |= byte;
    }
    this.#close(at, seen);
  }

  #convert(from: number, to: number, writer: WriteValue): void {
    const [start, out] = [this.#end, this.#out];
    this.#sent.from = from;
    this.#sent.to = to;
    const end = writer(this.#sent, out, start);
    if (end === -1) {
      this.flags[this.#cell - 1] = otherCell;
      return;
    }
    let seen = 0;
    for (let index = start; index < end; index += 1) seen |= out[index] ?? 0;
    this.#close(end, seen);
  }

  /** Ends a text, and notes its flags; `seen` is the bitwise or of all its bytes. */
  #close(end: number, seen: number): void {
    if (seen > 0x7f) {
      this.flags[this.#cell - 1] = notAscii;
      if (((this.#out[this.#end] ?? 0) & 0xc0) === 0x80) this.#isBroken = true;
    }
    this.#end = end;
  }

  /** Leaves the cells that are not UTF-8 to objects, which read them as best they can. */
  #leaveBroken(): void {
    for (let cell = 0; cell < this.#cell; cell += 1) {
      if (this.flags[cell] !== notAscii) continue;
      const text = this.#out.subarray(this.starts[cell], this.ends[cell]);
      if (!isUtf8(text)) this.flags[cell] = otherCell;
    }
  }
}
