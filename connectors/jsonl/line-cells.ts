import { parseJsonRow } from "../../src/mapping/json-row.ts";
import { absentCell, type Cells } from "../../src/records/cells.ts";
import type { Row } from "../../src/records/streams.ts";
import { signs } from "./scan-value.ts";

/** Where a line is, without its line end. */
export type LineRange = { readonly from: number; readonly to: number };

/** The text of a line without blanks around it; a byte order mark counts as a blank. */
export function lineText(bytes: Buffer, { from, to }: LineRange): string {
  return bytes.toString("utf8", from, to).trim();
}

/** The rows of a page of lines. */
export class LineCells implements Cells {
  readonly columns: readonly string[];
  readonly count: number;
  readonly bytes: Buffer;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly flags: Uint8Array;
  readonly quote = signs.quote;
  readonly sizes: Int32Array;
  readonly #lines: readonly LineRange[];
  readonly #made: ReadonlyMap<number, Row>;

  constructor(
    columns: readonly string[],
    places: Omit<CellPlaces, "grow" | "widen">,
    { bytes, lines, made }: LinesOfRows,
  ) {
    this.columns = columns;
    this.count = lines.length;
    this.bytes = bytes;
    this.starts = places.starts;
    this.ends = places.ends;
    this.flags = places.flags;
    this.sizes = Int32Array.from(lines, ({ from, to }, row) => (made.has(row) ? -1 : to - from));
    this.#lines = lines;
    this.#made = made;
  }

  row(index: number): Row {
    return this.#made.get(index) ?? parseJsonRow(this.text(index)) ?? {};
  }

  /** The line of a row, without blanks around it. */
  text(index: number): string {
    return lineText(this.bytes, this.#lines[index] ?? { from: 0, to: 0 });
  }
}

/** The lines of the rows of a page. */
export type LinesOfRows = {
  readonly bytes: Buffer;
  readonly lines: readonly LineRange[];
  /** Rows that had to be made as objects, because only objects show what they hold. */
  readonly made: ReadonlyMap<number, Row>;
};

/** The places of the cells of rows, for a growing number of rows and columns. */
export class CellPlaces {
  starts: Int32Array;
  ends: Int32Array;
  flags: Uint8Array;

  constructor(cells: number) {
    this.starts = new Int32Array(cells);
    this.ends = new Int32Array(cells);
    this.flags = new Uint8Array(cells);
  }

  /** Makes room for at least this many cells. */
  grow(cells: number): void {
    if (cells <= this.flags.length) return;
    const { starts, ends, flags } = this;
    const room = Math.max(2 * flags.length, cells);
    this.starts = new Int32Array(room);
    this.ends = new Int32Array(room);
    this.flags = new Uint8Array(room);
    this.starts.set(starts);
    this.ends.set(ends);
    this.flags.set(flags);
  }

  /** Gives each of the rows one more column, which is absent in all of them. */
  widen(rows: number, columns: number): void {
    this.grow(rows * (columns + 1));
    for (let row = rows - 1; row >= 0; row -= 1) {
      const [from, to] = [row * columns, row * (columns + 1)];
      for (const array of [this.starts, this.ends, this.flags]) {
        array.copyWithin(to, from, from + columns);
      }
      this.flags[to + columns] = absentCell;
    }
  }
}
