import type { Row } from "./streams.ts";

/** A flag of a cell that holds a byte above 0x7f. */
export const notAscii = 1;

/** A flag of a cell in which every quote is written twice. */
export const doubledQuote = 2;

/** A flag of a cell that holds null. */
export const nullCell = 4;

/** A flag of a cell that its row does not have. */
export const absentCell = 8;

/** A flag of a cell that holds a number as JSON writes it. */
export const numberCell = 16;

/** A flag of a cell that holds `true` or `false`. */
export const booleanCell = 32;

/** A flag of a cell whose content only the row's object gives. */
export const otherCell = 64;

/**
 * The rows of a page as the bytes that the source gave, for mappings that need no objects. A cell is text in UTF-8,
 * unless a flag says otherwise; whoever makes cells has checked that.
 */
export type Cells = {
  /**
   * The names of the columns, each once, in the order of a row's cells; the same array for all pages that share
   * them.
   */
  readonly columns: readonly string[];
  /** How many rows there are. */
  readonly count: number;
  readonly bytes: Buffer;
  /**
   * Where cells begin in `bytes`: the cell of a row and a column at `row * columns.length + column`. Without `sizes`
   * the cells of a row follow one another in the order of their columns.
   */
  readonly starts: Int32Array;
  /** Where cells end. */
  readonly ends: Int32Array;
  /** The flags of the cells. */
  readonly flags: Uint8Array;
  /** The byte that is written twice in a cell with `doubledQuote`. */
  readonly quote: number;
  /**
   * The bytes of all cells of each row together, or more; -1 for a row that only an object can give.
   * @default the bytes from where its first cell begins to where its last ends
   */
  readonly sizes?: Int32Array | undefined;
  /** A row as an object. */
  row(index: number): Row;
  /** Takes back the memory of the cells: they must not be read, nor `row` be called, any more. */
  release?(): void;
};
