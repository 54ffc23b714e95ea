// A plan as src/mapping/bytes/plan-bytes.ts writes it: numbers of 32 bits, one behind the other. Addresses of none are 0.

// What is special about a cell, as src/records/cells.ts says it.
export const NOT_ASCII: u32 = 1;
export const DOUBLED_QUOTE: u32 = 2;
export const NULL_CELL: u32 = 4;
export const ABSENT_CELL: u32 = 8;
export const NUMBER_CELL: u32 = 16;
export const BOOLEAN_CELL: u32 = 32;
export const OTHER_CELL: u32 = 64;
export const NOT_TEXT: u32 = NULL_CELL | ABSENT_CELL | NUMBER_CELL | BOOLEAN_CELL | OTHER_CELL;

// What a field is read as.
export const ANY: u32 = 0;
export const BOOLEAN: u32 = 1;
export const DATE: u32 = 2;
export const DATETIME: u32 = 3;
export const DOMAIN: u32 = 4;
export const EMAIL: u32 = 5;
export const INTEGER: u32 = 6;
export const NUMBER: u32 = 7;
export const STRING: u32 = 8;

// What an empty value becomes.
export const OMIT: u32 = 0;
export const KEEP: u32 = 1;
export const CONSTANT: u32 = 2;

@unmanaged
export class Plan {
  head: usize;
  headBytes: usize;
  middle: usize;
  middleBytes: usize;
  /** Fields follow the plan: texts, then properties. */
  texts: u32;
  properties: u32;
  /** The place of the key among the texts. */
  key: u32;
  columns: u32;
  /** Bytes of a line besides what comes from cells, at most. */
  bytesMax: u32;
  /** How often a line reads a cell. */
  reads: u32;
}

@unmanaged
export class Field {
  /** -1 is of no column. */
  column: i32;
  outer: i32;
  kind: u32;
  isText: u32;
  isTrimmed: u32;
  isLowercase: u32;
  whenEmpty: u32;
  /** The constant that an empty value becomes. */
  empty: usize;
  emptyBytes: usize;
  member: usize;
  memberBytes: usize;
  constant: usize;
  constantBytes: usize;
  /** Parts of the template. */
  parts: usize;
  partsCount: u32;
}

/** A part of a template: a text, or a column. */
@unmanaged
export class Part {
  text: usize;
  textBytes: usize;
  column: i32;
  outer: i32;
}
