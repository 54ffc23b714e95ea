import { doubledQuote, notAscii, type Cells } from "../../../src/records/cells.ts";
import { cellColumnsMax } from "../limits.ts";
import type { Layout } from "./header.ts";
import { CsvRow } from "./row.ts";
import type { Scanner } from "./scan.ts";
import type { Window } from "./window.ts";

/** The cells of a page, and its rows, which are made when somebody asks for one. */
export class PageCells implements Cells {
  readonly columns: readonly string[];
  readonly count: number;
  readonly bytes: Buffer;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly flags: Uint8Array;
  readonly quote: number;
  #latin1: string | undefined;

  constructor(gathered: Omit<Cells, "row">) {
    const { columns, count, bytes, starts, ends, flags, quote } = gathered;
    this.columns = columns;
    this.count = count;
    this.bytes = bytes;
    this.starts = starts;
    this.ends = ends;
    this.flags = flags;
    this.quote = quote;
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

/** Whether rows of a file are read as cells: text in UTF-8, and not so many columns that their places outweigh them. */
export function hasCells({ encoding, columns }: Pick<Layout, "columns" | "encoding">): boolean {
  return encoding === "utf-8" && columns.length <= cellColumnsMax;
}

/** Gathers the rows that a scanner finds in UTF-8 as the cells of a page. */
export class CellGatherer {
  readonly #columns: readonly string[];
  readonly #quote: number;
  #count = 0;
  #starts = new Int32Array(0);
  #ends = new Int32Array(0);
  #flags = new Uint8Array(0);
  #bytes = Buffer.alloc(0);
  #length = 0;
  /** Where the bytes in the window begin that belong to the page and are not copied yet; -1 is nowhere. */
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
    if (first + columns > this.#starts.length) this.#grow();
    if (this.#from === -1) this.#from = rowStart;
    this.#to = rowEnd;
    const shift = this.#length - this.#from;
    for (let field = 0; field < columns; field += 1) {
      this.#starts[first + field] = (starts[field] ?? 0) + shift;
      this.#ends[first + field] = (ends[field] ?? 0) + shift;
      this.#flags[first + field] = flags[field] ?? 0;
    }
    this.#count += 1;
  }

  /** Copies what the window holds of the page; it must be called before the window changes. */
  keep(window: Window): void {
    if (this.#from === -1) return;
    const bytes = this.#to - this.#from;
    if (this.#length + bytes > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(this.#length + bytes);
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    }
    window.bytes.copy(this.#bytes, this.#length, this.#from, this.#to);
    this.#length += bytes;
    this.#from = -1;
  }

  /** Ends the page. */
  take(window: Window): PageCells {
    this.keep(window);
    const cells = new PageCells({
      columns: this.#columns,
      count: this.#count,
      bytes: this.#bytes.subarray(0, this.#length),
      starts: this.#starts,
      ends: this.#ends,
      flags: this.#flags,
      quote: this.#quote,
    });
    const places = this.#starts.length;
    this.#count = 0;
    this.#length = 0;
    this.#bytes = Buffer.alloc(0);
    this.#starts = new Int32Array(places);
    this.#ends = new Int32Array(places);
    this.#flags = new Uint8Array(places);
    return cells;
  }

  #grow(): void {
    const places = Math.max(2 * this.#starts.length, 16 * this.#columns.length);
    const [starts, ends, flags] = [this.#starts, this.#ends, this.#flags];
    this.#starts = new Int32Array(places);
    this.#ends = new Int32Array(places);
    this.#flags = new Uint8Array(places);
    this.#starts.set(starts);
    this.#ends.set(ends);
    this.#flags.set(flags);
  }
}
