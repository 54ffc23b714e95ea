import { rowBytesMax } from "../../../src/limits.ts";
import { doubledQuote, notAscii } from "../../../src/records/cells.ts";
import { columnsMax } from "../limits.ts";
import type { Window } from "./window.ts";

/** What one call of `Scanner.next` found. */
export type ScanStep =
  /** A row; the scanner's members describe it. */
  | "row"
  /** A line with nothing on it, not even a blank. */
  | "blank"
  /** The row is not complete in the window: nothing was consumed. */
  | "more"
  /** The window is final and everything in it was read. */
  | "end"
  /** A quoted field is still open at the end of the file. */
  | "unclosed"
  /** A misplaced quote makes the end of the row a guess. */
  | "doubtful"
  /** The row is longer than `rowBytesMax`. */
  | "too long";

/** The characters with a meaning. */
export type Dialect = {
  readonly delimiter: string;
  /** False when quotes are characters like any other. */
  readonly quote: string | false;
};

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const noQuote = -1;

// The values that the field functions return instead of an index.
const needsMore = -1;
const isUnclosed = -2;
const isDoubtful = -3;

/**
 * Finds the rows and fields of CSV in bytes, or in UTF-16 units, without making strings. One object for each read: it
 * counts lines from the given one, over LF, CRLF and lone CR, including those inside quotes.
 */
export class Scanner {
  /** Line of the next row, from 1. */
  line: number;
  /** Line of the row found last. */
  rowLine = 0;
  /** Index in the window of the row's first unit. */
  rowStart = 0;
  /** Index after the row's last unit, its line end not counted. */
  rowEnd = 0;
  /** Number of the row's fields; those beyond `columnsMax` are only counted. */
  fields = 0;
  readonly starts = new Int32Array(columnsMax);
  readonly ends = new Int32Array(columnsMax);
  /** `notAscii` and `doubledQuote` of the fields. */
  readonly flags = new Uint8Array(columnsMax);
  hasNul = false;
  hasStrayQuote = false;
  readonly bytesMax: number = rowBytesMax;
  /** Line of the quoted field that is open, or of the quote that is in doubt; 0 when there is none. */
  quoteLine = 0;

  readonly #delimiter: number;
  readonly #quote: number;
  readonly #endsPlain: Uint8Array;
  readonly #endsQuoted: Uint8Array;
  #units: Uint8Array | Uint16Array = new Uint8Array(0);
  #end = 0;
  #isFinal = false;
  #doubtAt = -1;
  #doubtLine = 0;
  #lineAt = 0;

  constructor(dialect: Dialect, line: number) {
    this.line = line;
    this.#delimiter = dialect.delimiter.charCodeAt(0);
    this.#quote = dialect.quote === false ? noQuote : dialect.quote.charCodeAt(0);
    this.#endsPlain = tableOf([this.#delimiter, this.#quote, lineFeed, carriageReturn, 0]);
    this.#endsQuoted = tableOf([this.#quote, lineFeed, carriageReturn, 0]);
  }

  /** Reads one row at `window.at`, and moves `at` after it unless the row is incomplete, too long or in doubt. */
  next(window: Window): ScanStep {
    this.#units = window.units;
    this.#end = window.end;
    this.#isFinal = window.isFinal;
    this.#lineAt = this.line;
    this.rowStart = window.at;
    this.fields = 0;
    this.hasNul = false;
    this.hasStrayQuote = false;
    this.quoteLine = 0;
    this.#doubtAt = -1;
    let at = window.at;
    if (at >= this.#end) return this.#isFinal ? "end" : "more";
    for (;;) {
      at =
        this.#units[at] === this.#quote && at < this.#end ? this.#quoted(at) : this.#plain(at, at);
      if (at < 0) return this.#stuck(window, at);
      if (at < this.#end && this.#units[at] === this.#delimiter) at += 1;
      else return this.#finish(window, at);
    }
  }

  #stuck(window: Window, why: number): ScanStep {
    if (why === isDoubtful) return "doubtful";
    if (why === isUnclosed) return "unclosed";
    // One unit more than a row may have: it can be half of the line end.
    if (window.pendingBytes <= rowBytesMax + window.width) return "more";
    this.rowEnd = this.#end;
    return "too long";
  }

  /** Closes the row whose line end, or the file's end, is at `at`. */
  #finish(window: Window, at: number): ScanStep {
    let after = at;
    if (at < this.#end) {
      after += 1;
      if (this.#units[at] === carriageReturn) {
        // A CR at the window's edge may be half of a CRLF.
        if (after === this.#end && !this.#isFinal) return "more";
        if (after < this.#end && this.#units[after] === lineFeed) after += 1;
      }
      this.#lineAt += 1;
    }
    if (this.#doubtAt !== -1 && !this.#readingsAgree(at)) {
      this.quoteLine = this.#doubtLine;
      return "doubtful";
    }
    this.rowEnd = at;
    if ((at - this.rowStart) * window.width > rowBytesMax) return "too long";
    this.rowLine = this.line;
    this.line = this.#lineAt;
    window.at = after;
    return at === this.rowStart ? "blank" : "row";
  }

  /** Continues from `from` in the unquoted field that began at `start`; returns the index where it ends. */
  #plain(start: number, from: number): number {
    const units = this.#units;
    const end = this.#end;
    const ends = this.#endsPlain;
    let at = from;
    let seen = 0;
    let unit = 0;
    let isStray = false;
    for (;;) {
      while (at < end && ends[(unit = units[at] ?? 0)] === 0) {
        seen |= unit;
        at += 1;
      }
      if (at >= end) {
        if (!this.#isFinal) return needsMore;
        break;
      }
      if (unit === this.#quote) {
        // After the first one, no other can follow only blanks; looking for it would take quadratic time.
        if (!isStray) this.#noteStray(start, at);
        isStray = true;
      } else if (unit === 0) this.hasNul = true;
      else break;
      at += 1;
    }
    this.#note(start, at, seen > 0x7f ? notAscii : 0);
    return at;
  }

  /** Reads a quoted field that opens at `open`; returns the index where it ends. */
  #quoted(open: number): number {
    const units = this.#units;
    const end = this.#end;
    const ends = this.#endsQuoted;
    const line = this.#lineAt;
    let at = open + 1;
    let seen = 0;
    let flags = 0;
    let unit = 0;
    for (;;) {
      while (at < end && ends[(unit = units[at] ?? 0)] === 0) {
        seen |= unit;
        at += 1;
      }
      if (at >= end) {
        this.quoteLine = line;
        return this.#isFinal ? isUnclosed : needsMore;
      }
      if (unit === this.#quote) {
        if (at + 1 === end && !this.#isFinal) return needsMore;
        if (units[at + 1] !== this.#quote || at + 1 === end) break;
        flags = doubledQuote;
        at += 2;
        continue;
      }
      if (unit === 0) this.hasNul = true;
      else if (unit === lineFeed || units[at + 1] !== lineFeed) this.#lineAt += 1;
      at += 1;
    }
    const after = at + 1;
    if (after < end) {
      const next = units[after];
      if (next !== this.#delimiter && next !== lineFeed && next !== carriageReturn) {
        return this.#textAfterQuote(open, after, line);
      }
    }
    this.#note(open + 1, at, seen > 0x7f ? flags | notAscii : flags);
    return after;
  }

  /**
   * Continues after a closing quote that is followed by more text. When the quoted text held a line end, most likely a
   * quote was never closed, and this one opens a later field: then nothing is guessed.
   */
  #textAfterQuote(open: number, after: number, line: number): number {
    if (this.#lineAt !== line) {
      this.quoteLine = line;
      return isDoubtful;
    }
    this.hasStrayQuote = true;
    this.#doubt(open, line);
    return this.#plain(open, after);
  }

  /** A quote after other characters cannot open a field; after nothing but blanks, it may have been meant to. */
  #noteStray(start: number, quoteAt: number): void {
    this.hasStrayQuote = true;
    for (let at = start; at < quoteAt; at += 1) {
      if (this.#units[at] !== 0x20 && this.#units[at] !== 0x09) return;
    }
    this.#doubt(quoteAt, this.#lineAt);
  }

  #doubt(at: number, line: number): void {
    if (this.#doubtAt !== -1) return;
    this.#doubtAt = at;
    this.#doubtLine = line;
  }

  /**
   * Whether a row with a misplaced quote ends at `end` under a second reading too: quotes come in pairs, or
   * the field in doubt ends at the first quote before a delimiter and quotes come in pairs from there on.
   */
  #readingsAgree(end: number): boolean {
    if (this.#isEven(this.#doubtAt, end)) return true;
    for (let at = this.#doubtAt + 1; at < end; at += 1) {
      if (this.#units[at] !== this.#quote) continue;
      if (at + 1 === end || this.#units[at + 1] === this.#delimiter) {
        return this.#isEven(at + 1, end);
      }
    }
    return false;
  }

  #isEven(from: number, end: number): boolean {
    let quotes = 0;
    for (let at = from; at < end; at += 1) if (this.#units[at] === this.#quote) quotes += 1;
    return quotes % 2 === 0;
  }

  #note(start: number, end: number, flags: number): void {
    const index = this.fields;
    if (index < columnsMax) {
      this.starts[index] = start;
      this.ends[index] = end;
      this.flags[index] = flags;
    }
    this.fields = index + 1;
  }
}

/** One table for each set of units that dialects have: a table is as large as many files are. */
const tables = new Map<string, Uint8Array>();

/** A table over all UTF-16 units in which the given ones are 1: one look-up a unit, whatever the encoding. */
function tableOf(units: readonly number[]): Uint8Array {
  const name = units.join();
  const known = tables.get(name);
  if (known !== undefined) return known;
  const table = new Uint8Array(0x1_0000);
  for (const unit of units) if (unit !== noQuote) table[unit] = 1;
  tables.set(name, table);
  return table;
}
