import type { ConnectorRequest } from "../../contract/request.ts";
import type { CsvConfig } from "../config.ts";
import { assertSameFile, changed, type OpenFile } from "../open.ts";
import type { FileSpan } from "../spans.ts";
import { bytesOf } from "./bytes.ts";
import { fatal, unproven } from "./faults.ts";
import { readLayout, type Layout } from "./header.ts";
import { LongRow } from "./long-row.ts";
import { piecesBegin, type Place, type Start } from "./pages.ts";
import { Scanner } from "./scan.ts";
import { Window } from "./window.ts";

/** Whether a walk ends before a row. Asked once for each row, in order. */
export type IsReached = (row: { readonly offset: number; readonly line: number }) => boolean;

/** Where a walk ended: before a row, or after all of them. */
export type Walked = Place & {
  readonly isEnd: boolean;
  /** Lines of the file up to there, including one that has begun. */
  readonly lines: number;
};

/**
 * Finds the first row of a file's span for which `isReached` holds, only by where rows end: no value is read, so it
 * takes a fraction of the time of reading. A read can resume at the result, which is never inside a row.
 * @throws {ConfigError} the file cannot be read that far, as for `readFile`. @throws {SourceChangedError} it is not the
 * span's file.
 */
export async function walkRows(
  file: OpenFile,
  { from, to }: FileSpan,
  request: Pick<ConnectorRequest<CsvConfig>, "config" | "signal"> & {
    readonly isReached: IsReached;
  },
): Promise<Walked> {
  const { config, signal } = request;
  if (from !== undefined) assertSameFile(file, from);
  if (to !== undefined) assertSameFile(file, to);
  const layout = await readLayout(file, config, { signal, mayName: false });
  // Only an append-only file may lack its header line for now, and no place is looked for in those.
  if (layout === undefined) throw changed(file.place, "has no whole header line yet");
  const start = from ?? { offset: layout.offset, line: layout.line };
  const walk = new Walk(file.place, { layout, start, isReached: request.isReached });
  const stretch = { from: piecesBegin(start.offset), to: to?.offset, signal };
  for await (const piece of bytesOf(file, stretch)) {
    const found = walk.take(piece);
    if (found !== undefined) return found;
  }
  return walk.finish();
}

type How = { readonly layout: Layout; readonly start: Start; readonly isReached: IsReached };

/** Walks over the pieces of a file that follow `piecesBegin`. */
class Walk {
  readonly #place: string;
  readonly #how: How;
  readonly #window: Window;
  readonly #scanner: Scanner;
  #hasBegun = false;
  /** The long row being followed, and where it begins if the walk is to end there. */
  #followed: { readonly row: LongRow; readonly found: Walked | undefined } | undefined;
  /** A long row that ended, until a row after it proves where. */
  #unproven: LongRow | undefined;

  constructor(place: string, how: How) {
    const { layout, start } = how;
    this.#place = place;
    this.#how = how;
    this.#window = new Window(layout.encoding, piecesBegin(start.offset));
    this.#scanner = new Scanner(layout.dialect, start.line);
  }

  /** Takes the next piece; returns the place once it is found. */
  take(piece: Uint8Array): Walked | undefined {
    this.#window.append(piece);
    return this.#begin() ? this.#goOn() : undefined;
  }

  /** Marks the end of the span; returns the place. */
  finish(): Walked {
    this.#window.finish();
    if (!this.#begin()) throw changed(this.#place, "ends before what was already read of it");
    return this.#goOn() ?? this.#here(true);
  }

  /** Moves to the start once the window holds the bytes before it, and makes sure that they are the same. */
  #begin(): boolean {
    if (this.#hasBegun) return true;
    const { offset, tail } = this.#how.start;
    if (this.#window.offsetOf(this.#window.end) < offset) return false;
    this.#hasBegun = true;
    this.#window.at = Math.ceil((offset - piecesBegin(offset)) / this.#window.width);
    if (tail !== undefined && tail !== this.#window.hashBefore()) {
      throw changed(this.#place, `holds something else before byte ${offset} than was read there`);
    }
    return true;
  }

  #goOn(): Walked | undefined {
    for (;;) {
      if (this.#followed !== undefined) {
        const { row, found } = this.#followed;
        if (!this.#follow(row)) return undefined;
        if (found !== undefined) return found;
      }
      const step = this.#scanner.next(this.#window);
      switch (step) {
        case "row":
          this.#prove();
          if (this.#isReached(this.#scanner.rowLine)) return this.#back();
          break;
        case "blank":
          break;
        case "too long": {
          const { line } = this.#scanner;
          const found = this.#isReached(line) ? this.#here(false) : undefined;
          this.#followed = { row: new LongRow(this.#how.layout.dialect, line), found };
          break;
        }
        case "end":
        case "more":
          return undefined;
        case "unclosed":
        case "doubtful":
          throw fatal(this.#place, this.#scanner, step);
      }
    }
  }

  #isReached(line: number): boolean {
    const offset = this.#window.offsetOf(this.#scanner.rowStart);
    return this.#how.isReached({ offset, line });
  }

  /**
   * Follows a long row; true once it has ended, which also proves the one directly before it. Even a walk
   * that ends where the row begins follows it, because without the proof that place may be inside a quote.
   */
  #follow(row: LongRow): boolean {
    const step = row.follow(this.#window);
    if (step === "more") return false;
    if (step !== "row") throw fatal(this.#place, row, step);
    if (row.fields !== this.#how.layout.columns.length) throw unproven(this.#place, row);
    this.#scanner.line = row.nextLine;
    this.#followed = undefined;
    this.#unproven = row;
    return true;
  }

  /** Takes the scanner's row as proof that the long row before it ended where it seemed to, as `PageReader` does. */
  #prove(): void {
    if (this.#unproven === undefined) return;
    const { fields, hasStrayQuote } = this.#scanner;
    if (fields !== this.#how.layout.columns.length || hasStrayQuote) {
      throw unproven(this.#place, this.#unproven);
    }
    this.#unproven = undefined;
  }

  /** Steps back to where the scanner's row begins. */
  #back(): Walked {
    this.#window.at = this.#scanner.rowStart;
    this.#scanner.line = this.#scanner.rowLine;
    return this.#here(false);
  }

  #here(isEnd: boolean): Walked {
    const { units, at } = this.#window;
    const { line } = this.#scanner;
    const last = at === 0 ? lineFeed : units[at - 1];
    return {
      offset: this.#window.offsetOf(at),
      line,
      tail: this.#window.hashBefore(),
      isEnd,
      lines: last === lineFeed || last === carriageReturn ? line - 1 : line,
    };
  }
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
