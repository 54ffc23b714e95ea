// Writes the lines of plain rows from their cells. What it is not certain of it leaves to objects, row by row: it
// refuses nothing, and never writes what they would not.
import { trim, trimmedFrom, trimmedTo } from "./blanks.ts";
import { byte, out, put, setOut, text, textByte } from "./out.ts";
import {
  isPlainDate,
  isPlainDateTime,
  isPlainDomain,
  isPlainEmail,
  isPlainInteger,
  makeClasses,
  plainBoolean,
  plainNumberEnd,
} from "./plain.ts";
import {
  ABSENT_CELL,
  ANY,
  BOOLEAN,
  BOOLEAN_CELL,
  CONSTANT,
  DATE,
  DATETIME,
  DOMAIN,
  DOUBLED_QUOTE,
  EMAIL,
  Field,
  INTEGER,
  KEEP,
  NOT_ASCII,
  NOT_TEXT,
  NULL_CELL,
  NUMBER,
  NUMBER_CELL,
  OMIT,
  OTHER_CELL,
  Part,
  Plan,
  STRING,
} from "./plan.ts";

const QUOTE: u32 = 0x22;

/** Bytes that one byte becomes at most. */
const ESCAPED_BYTES_MAX: u32 = 6;

/** Bytes of a row above which it is an object, so that no room is made for what it might become. */
const ROW_BYTES_MAX: u32 = 65_536;

/** Five numbers for each line. */
const PLACE_BYTES: usize = 20;

/** Bytes that are written in vain behind a line. */
const SPARE: u64 = 64;

/** Room above which a row is an object. */
const ROOM_MAX: u64 = 0x4000000;

const WORDS: usize = memory.data<u8>([
  0x6e, 0x75, 0x6c, 0x6c, 0x74, 0x72, 0x75, 0x65, 0x66, 0x61, 0x6c, 0x73, 0x65, 0x22, 0x22, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);
const NULL_WORD: usize = WORDS;
const TRUE_WORD: usize = WORDS + 4;
const FALSE_WORD: usize = WORDS + 8;
const EMPTY_TEXT: usize = WORDS + 13;

makeClasses();

let plan: Plan = changetype<Plan>(0);
let fields: usize = 0;

/** The cells of the page. */
let bytes: usize = 0;
let bytesCount: u32 = 0;
let starts: usize = 0;
let ends: usize = 0;
let flags: usize = 0;
let sizes: usize = 0;
let quote: u32 = QUOTE;

/** The place of the row's first cell, and how many bytes the row has. */
let first: usize = 0;
let rowBytes: u32 = 0;

/** Room that the row needs at which `write` stopped; 0 where it needs an object. */
let needed: u32 = 0;

/** Where memory begins that is the caller's. */
export function heapAt(): usize {
  return (__heap_base + 15) & ~15;
}

/** Writes by the plan at this address from now on. */
export function setPlan(at: usize): void {
  plan = changetype<Plan>(at);
  fields = at + offsetof<Plan>();
}

/** Takes the cells of a page: `count` bytes at `at`, places as src/records/cells.ts has them; no sizes are at 0. */
export function setCells(at: usize, count: u32, places: usize, cells: u32, sizesAt: usize): void {
  bytes = at;
  bytesCount = count;
  starts = places;
  ends = places + ((<usize>cells) << 2);
  flags = places + ((<usize>cells) << 3);
  sizes = sizesAt;
}

export function setQuote(value: u32): void {
  quote = value;
}

export function roomNeeded(): u32 {
  return needed;
}

/**
 * Writes the lines of the rows from `row` on, one behind the other from `at` to `end` at most, and for each row at
 * `lines` its number, where its line begins and ends, without the line feed, and where its key does between its quotes:
 * all places less `base`. Answers the first row that it did not write, which needs more room or an object.
 */
export function write(row: u32, rows: u32, at: usize, end: usize, base: usize, lines: usize): u32 {
  setOut(at);
  for (; row < rows; row++) {
    const begin = out;
    const line = lines + <usize>row * PLACE_BYTES;
    if (!beginRow(row)) {
      needed = 0;
      return row;
    }
    const room = <u64>plan.bytesMax + <u64>plan.reads * (rowBytes * ESCAPED_BYTES_MAX) + SPARE;
    needed = <u32>room;
    if (room <= ROOM_MAX && end - begin < needed) return row;
    if (room > ROOM_MAX || !writeRow(line, base)) {
      needed = 0;
      return row;
    }
    store<u32>(line, row);
    store<u32>(line, <u32>(begin - base), 4);
    store<u32>(line, <u32>(out - 1 - base), 8);
  }
  return row;
}

function startOf(cell: usize): u32 {
  return load<u32>(starts + (cell << 2));
}

function endOf(cell: usize): u32 {
  return load<u32>(ends + (cell << 2));
}

function flagsOf(cell: usize): u32 {
  return load<u8>(flags + cell);
}

function beginRow(row: u32): bool {
  first = <usize>row * <usize>plan.columns;
  const last = first + <usize>plan.columns - 1;
  rowBytes = sizes != 0 ? load<u32>(sizes + ((<usize>row) << 2)) : endOf(last) - startOf(first);
  // One of less than no bytes has very many.
  return rowBytes <= ROW_BYTES_MAX;
}

function writeRow(line: usize, base: usize): bool {
  put(plan.head, plan.headBytes);
  let field = fields;
  for (let index: u32 = 0; index < plan.texts; index++) {
    const before = out;
    const its = changetype<Field>(field);
    if (!writeField(its, 0)) return false;
    if (index == plan.key) {
      store<u32>(line, <u32>(before + its.memberBytes + 1 - base), 12);
      store<u32>(line, <u32>(out - 1 - base), 16);
    }
    field += offsetof<Field>();
  }
  put(plan.middle, plan.middleBytes);
  const begin = out;
  for (let index: u32 = 0; index < plan.properties; index++) {
    if (!writeField(changetype<Field>(field), out == begin ? 1 : 0)) return false;
    field += offsetof<Field>();
  }
  // Two braces and a line feed.
  store<u32>(out, 0x0a7d7d);
  setOut(out + 3);
  return true;
}

/**
 * Writes a field, its member's name from `skipped` bytes on, or nothing where it is left out; false where only an object
 * can say what it becomes.
 */
function writeField(field: Field, skipped: usize): bool {
  if (field.constant != 0) {
    putMember(field, skipped);
    put(field.constant, field.constantBytes);
    return true;
  }
  if (field.parts != 0) return writeTemplate(field, skipped);
  if (field.column < 0) return writeAbsent(field, skipped);
  const cell = first + <usize>field.column;
  const flag = flagsOf(cell);
  if ((flag & NOT_TEXT) != 0) return writeNoText(field, cell, skipped);
  if (!isInRow(cell)) return false;
  let from = bytes + <usize>startOf(cell);
  let to = bytes + <usize>endOf(cell);
  if (field.isTrimmed != 0 && from < to && !(isMark(load<u8>(from)) && isMark(load<u8>(to - 1)))) {
    if (!trim(from, to)) return false;
    from = trimmedFrom;
    to = trimmedTo;
  }
  if (from == to) return writeEmpty(field, EMPTY_TEXT, 2, skipped);
  // Whatever the quote is: only a text that is written as it came may hold it twice.
  if (field.isTrimmed != 0 && (flag & DOUBLED_QUOTE) != 0) return false;
  putMember(field, skipped);
  return writeValue(field, from, to, flag);
}

/** Whether a byte is of ASCII and no blank. */
function isMark(value: u32): bool {
  return value > 0x20 && value < 0x7f;
}

/** Whether a cell has no more bytes than its row, and lies within those of the page: there is room for no others. */
function isInRow(cell: usize): bool {
  const from = startOf(cell);
  const to = endOf(cell);
  return from <= to && to <= bytesCount && to - from <= rowBytes;
}

function putMember(field: Field, skipped: usize): void {
  put(field.member + skipped, field.memberBytes - skipped);
}

/** Writes what becomes of an empty value, which is kept as it is; 0 is of none at all. */
function writeEmpty(field: Field, kept: usize, keptBytes: usize, skipped: usize): bool {
  switch (field.whenEmpty) {
    case OMIT:
      return true;
    case KEEP:
      if (kept == 0) return true;
      putMember(field, skipped);
      put(kept, keptBytes);
      return true;
    case CONSTANT:
      putMember(field, skipped);
      put(field.empty, field.emptyBytes);
      return true;
    default:
      return false;
  }
}

function writeAbsent(field: Field, skipped: usize): bool {
  return !mayHoldMember(field.outer) && writeEmpty(field, 0, 0, skipped);
}

/** Whether a column that is no cell may be a member of one, or lead into a number of too many digits. */
function mayHoldMember(outer: i32): bool {
  const outerFlags: u32 = outer < 0 ? 0 : flagsOf(first + <usize>outer);
  return (outerFlags & (OTHER_CELL | NUMBER_CELL)) != 0;
}

/** Where the text of a JSON number or boolean ends, as it would be written again; 0 is of any other value. */
function bareEnd(cell: usize, flag: u32): usize {
  if (!isInRow(cell)) return 0;
  const to = bytes + <usize>endOf(cell);
  if ((flag & NUMBER_CELL) != 0) return plainNumberEnd(bytes + <usize>startOf(cell), to);
  return (flag & BOOLEAN_CELL) != 0 ? to : 0;
}

function writeNoText(field: Field, cell: usize, skipped: usize): bool {
  const flag = flagsOf(cell);
  if ((flag & ABSENT_CELL) != 0) return writeAbsent(field, skipped);
  if ((flag & NULL_CELL) != 0) return writeEmpty(field, NULL_WORD, 4, skipped);
  const to = bareEnd(cell, flag);
  if (to == 0) return false;
  const from = bytes + <usize>startOf(cell);
  putMember(field, skipped);
  switch (field.kind) {
    case ANY:
      return field.isText == 0 && putDigits(from, to);
    case STRING:
      byte(QUOTE);
      put(from, to - from);
      byte(QUOTE);
      return true;
    case INTEGER:
      return isPlainInteger(from, bytes + <usize>endOf(cell)) && putDigits(from, to);
    case NUMBER:
      return (flag & NUMBER_CELL) != 0 && putDigits(from, to);
    case BOOLEAN:
      return putBoolean(from, to);
    default:
      return false;
  }
}

function writeValue(field: Field, from: usize, to: usize, flag: u32): bool {
  switch (field.kind) {
    case ANY:
    case STRING:
      return putText(from, to, flag, field.isLowercase != 0);
    case DOMAIN:
      return isPlainDomain(from, to) && putText(from, to, flag, false);
    case EMAIL:
      return isPlainEmail(from, to) && putText(from, to, flag, field.isLowercase != 0);
    case DATE:
      return isPlainDate(from, to) && putText(from, to, flag, false);
    case DATETIME:
      return isPlainDateTime(from, to) && putText(from, to, flag, false);
    case INTEGER:
      return isPlainInteger(from, to) && putDigits(from, to);
    case NUMBER:
      return putDigits(from, plainNumberEnd(from, to));
    case BOOLEAN:
      return putBoolean(from, to);
    default:
      return false;
  }
}

function putDigits(from: usize, to: usize): bool {
  if (to == 0) return false;
  put(from, to - from);
  return true;
}

function putBoolean(from: usize, to: usize): bool {
  const value = plainBoolean(from, to);
  if (value == 1) put(TRUE_WORD, 4);
  else if (value == 0) put(FALSE_WORD, 5);
  return value >= 0;
}

function putText(from: usize, to: usize, flag: u32, isLowercase: bool): bool {
  byte(QUOTE);
  if (!putInner(from, to, flag, isLowercase)) return false;
  byte(QUOTE);
  return true;
}

/** Puts the text of a cell as JSON writes it between quotes. */
function putInner(from: usize, to: usize, flag: u32, isLowercase: bool): bool {
  const isDoubled = (flag & DOUBLED_QUOTE) != 0;
  if (!isLowercase && !isDoubled) {
    text(from, to);
    return true;
  }
  if (isLowercase && (flag & NOT_ASCII) != 0) return false;
  for (let next = from; next < to; next++) {
    const value: u32 = load<u8>(next);
    if (isDoubled && value == quote) next++;
    textByte(isLowercase && value - 0x41 < 26 ? value + 0x20 : value);
  }
  return true;
}

/** Fills in a template; it is empty where all its columns are. */
function writeTemplate(field: Field, skipped: usize): bool {
  const before = out;
  putMember(field, skipped);
  byte(QUOTE);
  let isEmpty = true;
  for (let index: u32 = 0; index < field.partsCount; index++) {
    const part = changetype<Part>(field.parts + <usize>index * offsetof<Part>());
    if (part.text != 0) {
      put(part.text, part.textBytes);
      continue;
    }
    const cell = first + <usize>part.column;
    const flag: u32 = part.column < 0 ? ABSENT_CELL : flagsOf(cell);
    if ((flag & ABSENT_CELL) != 0 && mayHoldMember(part.outer)) return false;
    if ((flag & (ABSENT_CELL | NULL_CELL)) != 0) continue;
    // What only the object tells may have no bytes.
    if (startOf(cell) == endOf(cell) && (flag & OTHER_CELL) == 0) continue;
    isEmpty = false;
    if (!putFilled(cell, flag)) return false;
  }
  if (isEmpty) {
    setOut(before);
    return writeEmpty(field, EMPTY_TEXT, 2, skipped);
  }
  byte(QUOTE);
  return true;
}

/** Puts what a template makes of a cell that is not empty. */
function putFilled(cell: usize, flag: u32): bool {
  if (!isInRow(cell)) return false;
  const from = bytes + <usize>startOf(cell);
  if ((flag & NOT_TEXT) == 0) return putInner(from, bytes + <usize>endOf(cell), flag, false);
  return putDigits(from, bareEnd(cell, flag));
}
