import type { Row } from "./streams.ts";

/** A flag of a cell that holds a byte above 0x7f. */
export const notAscii = 1;

/** A flag of a cell in which a quote is written twice for one. */
export const doubledQuote = 2;

/** A flag of a cell that holds nothing, not even an empty text: its bytes are none. */
export const isNull = 4;

/** A flag of a cell whose value its bytes do not tell: whoever needs it asks for the row as an object. */
export const isNoText = 8;

/**
 * The rows of a page as the bytes that the source gave, for mappings that need no objects. A cell is text
 * in UTF-8; whoever gives cells has made sure that it is.
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
   * Where cells begin in `bytes`: that of a row and a column at `row * columns.length + column`. The cells of a row
   * follow one another in the order of their columns.
   */
  readonly starts: Int32Array;
  /** Where cells end. */
  readonly ends: Int32Array;
  /** What is special about cells. */
  readonly flags: Uint8Array;
  /** The byte that is written twice in a cell with `doubledQuote`. */
  readonly quote: number;
  /** A row as an object. */
  row(index: number): Row;
};
