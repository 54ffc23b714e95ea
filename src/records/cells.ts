import type { Row } from "./streams.ts";

/** A flag of a cell that holds a byte above 0x7f. */
export const notAscii = 1;

/** A flag of a cell in which a quote is written twice for one. */
export const doubledQuote = 2;

/** A flag of a cell that holds null. */
export const nullCell = 4;

/** A flag of a cell that its row does not have. */
export const absentCell = 8;

/** A flag of a cell that holds a number as JSON writes it. */
export const numberCell = 16;

/** A flag of a cell that holds `true` or `false`. */
export const booleanCell = 32;

/** A flag of a cell of which only the row's object says what it holds. */
export const otherCell = 64;

/**
 * The rows of a page as the bytes that the source gave, for mappings that need no objects. A cell is text
 * in UTF-8, unless a flag says otherwise; whoever gives cells has made sure that it is.
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
   * Where cells begin in `bytes`: that of a row and a column at `row * columns.length + column`. Without `sizes` the
   * cells of a row follow one another in the order of their columns.
   */
  readonly starts: Int32Array;
  /** Where cells end. */
  readonly ends: Int32Array;
  /** What is special about cells. */
  readonly flags: Uint8Array;
  /** The byte that is written twice in a cell with `doubledQuote`. */
  readonly quote: number;
  /**
   * As many bytes as the cells of each row have together, or more; -1 is of a row that only an object can give.
   * @default those from where its first cell begins to where its last ends
   */
  readonly sizes?: Int32Array | undefined;
  /** A row as an object. */
  row(index: number): Row;
  /** Takes the memory of the cells back: nothing of them is read any more, nor is `row` called. */
  release?(): void;
};
