import { doubledQuote, notAscii, type Cells } from "../../../src/records/cells.ts";
import { PageMemory } from "../../../src/records/page-memory.ts";
import { cellColumnsMax } from "../limits.ts";
import type { Layout } from "./header.ts";
import type { PlainRows } from "./plain-scan.ts";
import { CsvRow } from "./row.ts";
import type { Scanner } from "./scan.ts";
import type { Window } from "./window.ts";

/** The cells of a page, and its rows, each of which is made when asked for. */
export class PageCells implements Cells {
  readonly columns: readonly string[];
  readonly count: number;
  readonly bytes: Buffer;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly flags: Uint8Array;
  readonly quote: number;
  readonly #giveBack: () => void;
  #latin1: string | undefined;

  constructor(gathered: Omit<Cells, "release" | "row">, giveBack: () => void) {
    const { columns, count, bytes, starts, ends, flags, quote } = gathered;
    this.columns = columns;
    this.count = count;
    this.bytes = bytes;
    this.starts = starts;
    this.ends = ends;
    this.flags = flags;
    this.quote = quote;
    this.#giveBack = giveBack;
  }

  release(): void {
    this.#giveBack();
  }

  row(index: number): CsvRow {
    const first = index * this.columns.length;
    return new CsvRow(this.columns, { value: (field) => this.#value(first + field) });
  }

  /** Cutting ASCII from one text costs a tenth of decoding each cell by itself. */
  #value(cell: number): string {
    const [from, to] = [this.starts[cell] ?? 0, this.ends[cell] ?? 0];
    const flags = this.flags[cell] ?? 0;
    this.#latin1 ??= this.bytes.toString("latin1");
    const text =
      (flags & notAscii) === 0
        ? this.#latin1.substring(from, to)
        : this.bytes.toString("utf8", from, to);
    if ((flags & doubledQuote) === 0) return text;
    const quote = String.fromCharCode(this.quote);
    return text.replaceAll(quote + quote, quote);
  }
}

/** All rows of a page. */
export function allRows(cells: PageCells): readonly CsvRow[] {
  return Array.from({ length: cells.count }, (_, index) => cells.row(index));
}

/** Whether rows of a file are read as cells: it is UTF-8, and has so few columns that places do not outweigh cells. */
export function hasCells({ encoding, columns }: Pick<Layout, "columns" | "encoding">): boolean {
  return encoding === "utf-8" && columns.length <= cellColumnsMax;
}

/** Bytes of memory for the place of a cell: where it begins, where it ends, and its flags. */
const placeBytes = 2 * Int32Array.BYTES_PER_ELEMENT + 1;

/** The places of cells, in one piece of memory. */
class Places {
  readonly piece: Buffer;
  /** How many cells there is room for. */
  readonly room: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly flags: Uint8Array;

  constructor(piece: Buffer) {
    const { buffer, byteOffset, length } = piece;
    this.piece = piece;
    this.room = Math.floor(length / placeBytes);
    const bytes = this.room * Int32Array.BYTES_PER_ELEMENT;
    this.starts = new Int32Array(buffer, byteOffset, this.room);
    this.ends = new Int32Array(buffer, byteOffset + bytes, this.room);
    this.flags = new Uint8Array(buffer, byteOffset + 2 * bytes, this.room);
  }
}

const noMemory: Buffer = Buffer.alloc(0);

/** Memory of pages that any reader released: a run has one reader for each chunk. */
const cellMemory = new PageMemory();

/** Gathers the rows that a scanner finds in UTF-8 as the cells of a page. */
export class CellGatherer {
  readonly #columns: readonly string[];
  readonly #quote: number;
  #count = 0;
  #places = new Places(noMemory);
  #bytes = noMemory;
  #length = 0;
  /** Index in the window of the first byte that belongs to the page and is not copied yet; -1 if there is none. */
  #from = -1;
  #to = 0;

  constructor(columns: readonly string[], quote: string | false) {
    this.#columns = columns;
    this.#quote = quote === false ? 0 : quote.charCodeAt(0);
  }

  /** Takes the scanner's last row. */
  add({ rowStart, rowEnd, starts, ends, flags }: Scanner): void {
    const columns = this.#columns.length;
    const first = this.#count * columns;
    this.#makeRoom(first + columns);
    const shift = this.shiftOf(rowStart);
    if (this.#from === -1) this.#from = rowStart;
    this.#to = rowEnd;
    const places = this.#places;
    for (let field = 0; field < columns; field += 1) {
      places.starts[first + field] = (starts[field] ?? 0) + shift;
      places.ends[first + field] = (ends[field] ?? 0) + shift;
      places.flags[first + field] = flags[field] ?? 0;
    }
    this.#count += 1;
  }

  /** The number to add to the places of a row that begins at an index of the window. */
  shiftOf(rowStart: number): number {
    return this.#length - (this.#from === -1 ? rowStart : this.#from);
  }

  /** Takes rows from `rowStart` on, whose places were found with its shift. */
  addRows({ count, end, starts, ends, flags }: PlainRows, rowStart: number): void {
    const first = this.#count * this.#columns.length;
    this.#makeRoom(first + starts.length);
    if (this.#from === -1) this.#from = rowStart;
    this.#to = end;
    this.#places.starts.set(starts, first);
    this.#places.ends.set(ends, first);
    this.#places.flags.set(flags, first);
    this.#count += count;
  }

  /** Copies the part of the page that is in the window; must be called before the window changes. */
  keep(window: Window): void {
    if (this.#from === -1) return;
    const bytes = this.#to - this.#from;
    if (this.#length + bytes > this.#bytes.length) {
      const grown = cellMemory.take(this.#length + bytes);
      this.#bytes.copy(grown, 0, 0, this.#length);
      cellMemory.giveBack(this.#bytes);
      this.#bytes = grown;
    }
    window.bytes.copy(this.#bytes, this.#length, this.#from, this.#to);
    this.#length += bytes;
    this.#from = -1;
  }

  /** Ends the page. */
  take(window: Window): PageCells {
    this.keep(window);
    const [bytes, places] = [this.#bytes, this.#places];
    const { starts, ends, flags } = places;
    const cells = new PageCells(
      {
        columns: this.#columns,
        count: this.#count,
        bytes: bytes.subarray(0, this.#length),
        starts,
        ends,
        flags,
        quote: this.#quote,
      },
      () => {
        cellMemory.giveBack(bytes);
        cellMemory.giveBack(places.piece);
      },
    );
    this.#count = 0;
    this.#length = 0;
    this.#bytes = noMemory;
    this.#places = new Places(noMemory);
    return cells;
  }

  #makeRoom(cells: number): void {
    const before = this.#places;
    if (cells <= before.room) return;
    const room = Math.max(2 * before.room, 16 * this.#columns.length, cells);
    this.#places = new Places(cellMemory.take(room * placeBytes));
    this.#places.starts.set(before.starts);
    this.#places.ends.set(before.ends);
    this.#places.flags.set(before.flags);
    cellMemory.giveBack(before.piece);
  }
}
