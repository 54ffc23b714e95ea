import { absentCell, otherCell } from "../../src/records/cells.ts";
import type { Row } from "../../src/records/streams.ts";
import { CellPlaces, LineCells, type LineRange } from "./line-cells.ts";
import { isAt, signs, ValueScanner } from "./scan-value.ts";

/** The most names of members that have cells: with more, the places would outweigh the cells. */
const columnsMax = 256;

/** Names that a key is compared with before it is looked up, because a row may lack some. */
const namesTriedMax = 4;

/** The places that a page will probably need, before it has rows. */
const placesMin = 1_024;

/**
 * Gathers the rows of a page as cells, from lines of UTF-8 in one memory. The columns are the names of all members met
 * so far, in the order in which they were met.
 */
export class LineGatherer {
  readonly #scanner = new ValueScanner();
  #columns: readonly string[] = [];
  #names: readonly Buffer[] = [];
  readonly #columnOf = new Map<string, number>();
  #places = new CellPlaces(placesMin);
  #lines: LineRange[] = [];
  #made = new Map<number, Row>();
  #bytes: Buffer = Buffer.alloc(0);

  /** Begins a page whose lines are in `bytes`. */
  begin(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#lines = [];
    this.#made = new Map();
    this.#places = new CellPlaces(this.#places.flags.length);
  }

  /**
   * Takes a line as a row if it is an object whose members are all read without doubt; otherwise returns false and
   * takes nothing.
   */
  add(line: LineRange): boolean {
    this.#beginRow();
    this.#scanner.begin(this.#bytes, line.from);
    if (!this.#members()) return false;
    this.#scanner.next();
    if (this.#scanner.at !== line.to) return false;
    this.#lines.push(line);
    return true;
  }

  /** Takes a line as a row that is this object. */
  addMade(line: LineRange, row: Row): void {
    this.#beginRow();
    this.#made.set(this.#lines.length, row);
    this.#lines.push(line);
  }

  /** Ends the page. */
  take(): LineCells {
    const { starts, ends, flags } = this.#places;
    const gathered = { bytes: this.#bytes, lines: this.#lines, made: this.#made };
    return new LineCells(this.#columns, { starts, ends, flags }, gathered);
  }

  #beginRow(): void {
    const first = this.#lines.length * this.#columns.length;
    const end = first + this.#columns.length;
    this.#places.grow(end);
    this.#places.flags.fill(absentCell, first, end);
  }

  #members(): boolean {
    const scanner = this.#scanner;
    if (!scanner.take(signs.brace)) return false;
    if (scanner.take(signs.braceEnd)) return true;
    let column = -1;
    do {
      column = this.#column(column + 1);
      if (column === -1 || !scanner.take(signs.colon) || !scanner.value()) return false;
      if (!this.#place(column)) return false;
    } while (scanner.take(signs.comma));
    return scanner.take(signs.braceEnd);
  }

  /** Places the scanner's last value; false where the row has one in this column already. */
  #place(column: number): boolean {
    const { starts, ends, flags } = this.#places;
    const cell = this.#lines.length * this.#columns.length + column;
    if (flags[cell] !== absentCell) return false;
    starts[cell] = this.#scanner.start;
    ends[cell] = this.#scanner.end;
    flags[cell] = this.#scanner.flags;
    return true;
  }

  /** Reads a key, which is probably one of the names from `expected` on; returns its column, or -1 for none. */
  #column(expected: number): number {
    const scanner = this.#scanner;
    const bytes = this.#bytes;
    if (scanner.next() !== signs.quote) return -1;
    const at = scanner.at + 1;
    const last = Math.min(expected + namesTriedMax, this.#names.length);
    for (let column = expected; column < last; column += 1) {
      const name = this.#names[column];
      if (name === undefined || !isAt(bytes, at, name)) continue;
      if (bytes[at + name.length] !== signs.quote) continue;
      scanner.at = at + name.length + 1;
      return column;
    }
    if (!scanner.text() || (scanner.flags & otherCell) !== 0) return -1;
    const name = bytes.toString("utf8", scanner.start, scanner.end);
    return this.#columnOf.get(name) ?? this.#addColumn(name);
  }

  #addColumn(name: string): number {
    const columns = this.#columns.length;
    if (columns === columnsMax) return -1;
    this.#places.widen(this.#lines.length + 1, columns);
    this.#columns = [...this.#columns, name];
    this.#names = [...this.#names, Buffer.from(name)];
    this.#columnOf.set(name, columns);
    return columns;
  }
}
