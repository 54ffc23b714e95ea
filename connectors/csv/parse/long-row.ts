import { longRowBytesMax } from "../limits.ts";
import type { Dialect } from "./scan.ts";
import type { Window } from "./window.ts";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

// Where in the row the next unit is.
const atField = 0;
const inPlain = 1;
const inQuotes = 2;
const afterQuote = 3;
const afterReturn = 4;
const behindRow = 5;
const inDoubt = 6;

/** What one call of `LongRow.follow` found. */
export type LongStep =
  /** Its end: the window's `at` is after it. */
  | "row"
  /** The window ends before the row does. */
  | "more"
  /** A quoted field is still open at the end of the file. */
  | "unclosed"
  /** A misplaced quote makes the end of the row a guess. */
  | "doubtful"
  /** The row is longer than `longRowBytesMax`. */
  | "too long";

/**
 * A row longer than a window holds: followed unit by unit to its end, and never kept. It begins at the window's `at`.
 */
export class LongRow {
  readonly bytesMax: number = longRowBytesMax;
  /** Line of its first byte. */
  readonly line: number;
  /** Line of the next row, once this one has ended. */
  nextLine: number;
  /** Fields so far. */
  fields = 1;
  /** Line of the quote that opened last; 0 when there is none. */
  quoteLine = 0;

  readonly #delimiter: number;
  readonly #quote: number;
  #units = 0;
  #where = atField;
  #isBehindReturn = false;

  constructor(dialect: Dialect, line: number) {
    this.line = line;
    this.nextLine = line;
    this.#delimiter = dialect.delimiter.charCodeAt(0);
    this.#quote = dialect.quote === false ? -1 : dialect.quote.charCodeAt(0);
  }

  /** Continues to the end of the row or of the window, and releases the units that it passed. */
  follow(window: Window): LongStep {
    const { units, end, width } = window;
    const unitsMax = longRowBytesMax / width;
    let at = window.at;
    while (at < end && this.#where < behindRow && this.#units <= unitsMax) {
      const unit = units[at] ?? 0;
      if (this.#where === afterReturn) {
        if (unit === lineFeed) at += 1;
        this.#where = behindRow;
        break;
      }
      this.#where = this.#take(unit);
      this.#units += 1;
      at += 1;
    }
    window.at = at;
    if (this.#where === behindRow) return "row";
    if (this.#where === inDoubt) return "doubtful";
    if (this.#units > unitsMax) return "too long";
    if (!window.isFinal) return "more";
    return this.#where === inQuotes ? "unclosed" : "row";
  }

  /** Takes one unit; returns where the next one is. */
  #take(unit: number): number {
    if (this.#where === inQuotes) {
      if (unit === this.#quote) return afterQuote;
      // A CRLF is one line end.
      const isLineEnd = unit === carriageReturn || (unit === lineFeed && !this.#isBehindReturn);
      if (isLineEnd) this.nextLine += 1;
      this.#isBehindReturn = unit === carriageReturn;
      return inQuotes;
    }
    if (unit === this.#quote) return this.#takeQuote();
    if (unit === this.#delimiter) {
      this.fields += 1;
      return atField;
    }
    if (unit === lineFeed || unit === carriageReturn) {
      this.nextLine += 1;
      return unit === lineFeed ? behindRow : afterReturn;
    }
    return this.#where === afterQuote ? inDoubt : inPlain;
  }

  #takeQuote(): number {
    this.#isBehindReturn = false;
    if (this.#where === afterQuote) return inQuotes;
    this.quoteLine = this.nextLine;
    return this.#where === atField ? inQuotes : inDoubt;
  }
}
