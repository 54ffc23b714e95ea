// Finds the cells of rows that leave no doubt: as many fields as there are columns, quotes where they may be, no NUL, a
// line end of LF or CRLF. Whatever else a row is, it stops before it, and connectors/csv/parse/scan.ts reads that row.

// As src/records/cells.ts has them.
const NOT_ASCII: u32 = 1;
const DOUBLED_QUOTE: u32 = 2;

const LINE_FEED: u32 = 0x0a;
const CARRIAGE_RETURN: u32 = 0x0d;

/** No row is certain from here on. */
const NONE: usize = 0;

let delimiter: u32 = 0;
/** 0 where quotes mean nothing. */
let quote: u32 = 0;
let columns: u32 = 0;
/** Bytes of a row that another one is told of. */
let rowBytesMax: u32 = 0;

/** The bytes end here; behind it are 16 that are read in vain. */
let end: usize = 0;

/** Where the cells of the row at hand begin and end, each less `origin`, and their flags. */
let starts: usize = 0;
let ends: usize = 0;
let flags: usize = 0;
let origin: usize = 0;

/** What the last rows were: where they end without their line end, the next begins, and on which line. */
let rowsEnd: usize = 0;
let next: usize = 0;
let line: u32 = 0;
let rowsBytes: u32 = 0;

/** Where memory begins that is the caller's. */
export function heapAt(): usize {
  return (__heap_base + 15) & ~15;
}

export function setDialect(itsDelimiter: u32, itsQuote: u32, itsColumns: u32, bytesMax: u32): void {
  delimiter = itsDelimiter;
  quote = itsQuote;
  columns = itsColumns;
  rowBytesMax = bytesMax;
}

/** Says where the bytes end, and where the places of so many cells go. */
export function setMemory(bytesEnd: usize, places: usize, cells: u32): void {
  end = bytesEnd;
  starts = places;
  ends = places + ((<usize>cells) << 2);
  flags = places + ((<usize>cells) << 3);
}

export function lastRowEnd(): usize {
  return rowsEnd;
}

export function nextRow(): usize {
  return next;
}

export function nextLine(): u32 {
  return line;
}

export function bytesOfRows(): u32 {
  return rowsBytes;
}

/**
 * Finds the rows from `at` on, which is on line `firstLine`, up to the first that is in doubt, or until there are `rowsMax` or
 * they have `bytesMax` bytes, and answers how many. Places are less `from`; `lines` takes the line of each row.
 */
export function scan(
  at: usize,
  from: usize,
  firstLine: u32,
  lines: usize,
  rowsMax: u32,
  bytesMax: u32,
): u32 {
  origin = from;
  line = firstLine;
  next = at;
  rowsBytes = 0;
  let rows: u32 = 0;
  let cell: usize = 0;
  while (rows < rowsMax && rowsBytes < bytesMax) {
    const begunAt = line;
    const rowEnd = scanRow(next, cell);
    if (rowEnd == NONE) {
      line = begunAt;
      break;
    }
    store<u32>(lines + ((<usize>rows) << 2), begunAt);
    rowsEnd = rowEnd;
    rowsBytes += <u32>(rowEnd - next);
    next = rowEnd + (load<u8>(rowEnd) == LINE_FEED ? 1 : 2);
    line++;
    rows++;
    cell += columns;
  }
  return rows;
}

/** Finds the cells of a row and answers where its line end is; `NONE` where something is in doubt. */
function scanRow(begin: usize, first: usize): usize {
  let at = begin;
  const last = first + columns;
  for (let cell = first; cell < last; cell++) {
    if (at >= end) return NONE;
    const isQuoted = quote != 0 && load<u8>(at) == quote;
    at = isQuoted ? scanQuoted(at + 1, cell) : scanPlain(at, cell);
    if (at == NONE) return NONE;
    if (load<u8>(at) == delimiter) at++;
    else if (cell + 1 == last) return isRowEnd(begin, at) ? at : NONE;
    else return NONE;
  }
  // One field too many.
  return NONE;
}

function isRowEnd(begin: usize, at: usize): bool {
  if (at == begin || at - begin > <usize>rowBytesMax) return false;
  return load<u8>(at) == LINE_FEED || (at + 1 < end && load<u8>(at + 1) == LINE_FEED);
}

function note(cell: usize, from: usize, to: usize, its: u32): void {
  store<u32>(starts + (cell << 2), <u32>(from - origin));
  store<u32>(ends + (cell << 2), <u32>(to - origin));
  store<u8>(flags + cell, <u8>its);
}

function bitsOf(bytes: v128, byte: u32): v128 {
  return i8x16.eq(bytes, i8x16.splat(<i8>byte));
}

/** Answers where the delimiter or line end behind a field without quotes is. */
function scanPlain(from: usize, cell: usize): usize {
  let at = from;
  let high: u32 = 0;
  while (at < end) {
    const bytes = v128.load(at);
    const breaks = v128.or(bitsOf(bytes, LINE_FEED), bitsOf(bytes, CARRIAGE_RETURN));
    const signs = v128.or(
      bitsOf(bytes, delimiter),
      v128.or(bitsOf(bytes, quote), bitsOf(bytes, 0)),
    );
    const mask: u32 = i8x16.bitmask(v128.or(breaks, signs));
    const above: u32 = i8x16.bitmask(bytes);
    if (mask == 0) {
      high |= above;
      at += 16;
      continue;
    }
    const before = ctz<u32>(mask);
    high |= above & ((1 << before) - 1);
    at += before;
    if (at >= end) return NONE;
    const byte: u32 = load<u8>(at);
    if (byte == 0 || byte == quote) return NONE;
    note(cell, from, at, high != 0 ? NOT_ASCII : 0);
    return at;
  }
  return NONE;
}

/** Answers what is behind the closing quote of a field whose text begins at `from`. */
function scanQuoted(from: usize, cell: usize): usize {
  let at = from;
  let high: u32 = 0;
  let its: u32 = 0;
  while (at < end) {
    const bytes = v128.load(at);
    const breaks = v128.or(bitsOf(bytes, LINE_FEED), bitsOf(bytes, CARRIAGE_RETURN));
    const mask: u32 = i8x16.bitmask(
      v128.or(breaks, v128.or(bitsOf(bytes, quote), bitsOf(bytes, 0))),
    );
    const above: u32 = i8x16.bitmask(bytes);
    if (mask == 0) {
      high |= above;
      at += 16;
      continue;
    }
    const before = ctz<u32>(mask);
    high |= above & ((1 << before) - 1);
    at += before;
    if (at + 1 >= end) return NONE;
    const byte: u32 = load<u8>(at);
    if (byte == LINE_FEED) {
      line++;
      at++;
      continue;
    }
    if (byte != quote) return NONE;
    const after: u32 = load<u8>(at + 1);
    if (after == quote) {
      its = DOUBLED_QUOTE;
      at += 2;
      continue;
    }
    if (after != delimiter && after != LINE_FEED && after != CARRIAGE_RETURN) return NONE;
    note(cell, from, at, high != 0 ? its | NOT_ASCII : its);
    return at + 1;
  }
  return NONE;
}
