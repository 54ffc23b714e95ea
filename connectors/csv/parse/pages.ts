import { rejectRowCharsMax } from "../../../src/limits.ts";
import type { Cells } from "../../../src/records/cells.ts";
import { PageMemory } from "../../../src/records/page-memory.ts";
import type { Reject } from "../../contract/connector.ts";
import { hashedBytes, csvPageBytesMax } from "../limits.ts";
import { changed } from "../open.ts";
import { decodedTextOf, type DecodedText } from "./decode.ts";
import { fatal, rowFault, rowTooLong, unproven, type CsvRowFault, type RowRead } from "./faults.ts";
import type { Layout } from "./header.ts";
import { LongRow } from "./long-row.ts";
import { CellGatherer, allRows, hasCells } from "./page-cells.ts";
import { PlainScanner } from "./plain-scan.ts";
import { CsvRow } from "./row.ts";
import { Scanner } from "./scan.ts";
import { Window } from "./window.ts";

/** Where in a file a read begins, and the hash that recognises the bytes before it. */
export type Start = {
  readonly offset: number;
  readonly line: number;
  /** See `Mark`; undefined where nothing was read before. */
  readonly tail?: string | undefined;
};

/** A place between two rows. */
export type Place = {
  readonly offset: number;
  readonly line: number;
  readonly tail: string;
};

/** Some rows of a file, and how far they reach. */
export type FilePage = Place & {
  readonly rows: readonly CsvRow[];
  /** The same rows as cells; undefined where the file is of another encoding than UTF-8, or has very many columns. */
  readonly cells: Cells | undefined;
  readonly rejects: readonly Reject[];
  /** The line each row begins on. */
  readonly lines: readonly number[];
};

/** The settings for reading the rows of a file. */
export type FileRead = {
  readonly place: string;
  readonly layout: Layout;
  readonly start: Start;
  readonly pageRowsMax: number;
  /** Whether a last row without a line end is left for later. */
  readonly leavesOpenRow: boolean;
};

/**
 * The offset that the pieces for a read from `offset` must begin at: a reader first sees the bytes by which the start
 * is recognised. It is even, as UTF-16 needs, although a file cut inside a unit may end at an odd offset.
 */
export function piecesBegin(offset: number): number {
  const begin = Math.max(0, offset - hashedBytes);
  return begin - (begin % 2);
}

/** Memory of windows of files that were read: a run opens its file for each chunk. */
const windowMemory = new PageMemory();

/** A row too long to be held, and the reject it becomes once its end is certain. */
type Skipped = { readonly row: LongRow; readonly from: Place; readonly reject: Reject };

/**
 * Reads rows from the pieces of a file that follow `piecesBegin`, each at most `blockBytes`.
 * @throws {ConfigError} a quote is never closed, or the end of its row is a guess. @throws {SourceChangedError} the
 * bytes before the start are not those that were read.
 */
export class PageReader {
  /** Blank lines that were skipped. */
  blankLines = 0;
  readonly #read: FileRead;
  readonly #window: Window;
  readonly #scanner: Scanner;
  readonly #text: DecodedText;
  readonly #rowRead: RowRead;
  readonly #cells: CellGatherer | undefined;
  /** Finds rows without doubt, where there are cells. */
  readonly #plain: PlainScanner | undefined;
  #rows: CsvRow[] = [];
  #lines: number[] = [];
  #rejects: Reject[] = [];
  #bytes = 0;
  /** The long row being followed. */
  #followed: Skipped | undefined;
  /** A long row that ended, until a row after it proves where. */
  #unproven: Skipped | undefined;

  constructor(read: FileRead) {
    const { encoding, dialect, columns: names } = read.layout;
    this.#read = read;
    this.#window = new Window(encoding, piecesBegin(read.start.offset), windowMemory);
    this.#scanner = new Scanner(dialect, read.start.line);
    const reading = { window: this.#window, scanner: this.#scanner, quote: dialect.quote };
    this.#text = decodedTextOf(encoding, reading);
    const columns = names.length;
    this.#rowRead = { ...reading, text: this.#text, encoding, columns };
    this.#cells = hasCells(read.layout) ? new CellGatherer(names, dialect.quote) : undefined;
    this.#plain = this.#cells === undefined ? undefined : new PlainScanner(dialect, columns);
  }

  /** Yields the pages, all but the last one full; to be called once. */
  async *pages(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<FilePage> {
    try {
      yield* this.#pages(pieces);
    } finally {
      this.#plain?.close();
      this.#window.close();
    }
  }

  async *#pages(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<FilePage> {
    const { start, leavesOpenRow } = this.#read;
    let before = start.offset - piecesBegin(start.offset);
    for await (const piece of pieces) {
      this.#cells?.keep(this.#window);
      this.#window.append(piece);
      if (before > piece.length) {
        before -= piece.length;
        continue;
      }
      if (before > 0) this.#begin();
      before = 0;
      yield* this.#takeRows();
    }
    if (before > 0) throw changed(this.#read.place, "ends before what was already read of it");
    if (!leavesOpenRow) {
      this.#window.finish();
      yield* this.#takeRows();
    }
    if (this.#count > 0) yield this.#page();
  }

  /** The line of a quote that is open where an append-only file ends for now, or 0. */
  get openQuoteLine(): number {
    if (this.#followed !== undefined) return this.#followed.row.quoteLine;
    return this.#window.pendingBytes > 0 ? this.#scanner.quoteLine : 0;
  }

  #begin(): void {
    const { place, start } = this.#read;
    const before = start.offset - piecesBegin(start.offset);
    this.#window.at = Math.ceil(before / this.#window.width);
    if (start.tail !== undefined && start.tail !== this.#window.hashBefore()) {
      throw changed(place, `holds something else before byte ${start.offset} than was read there`);
    }
  }

  *#takeRows(): Generator<FilePage> {
    this.#text.load();
    this.#plain?.load(this.#window);
    for (;;) {
      if (this.#followed !== undefined && !(yield* this.#follow(this.#followed))) return;
      while (this.#takePlainRows()) {
        if (this.#isFull) yield this.#page();
      }
      const step = this.#scanner.next(this.#window);
      switch (step) {
        case "row":
          this.#prove();
          this.#takeRow();
          if (this.#isFull) yield this.#page();
          break;
        case "blank":
          this.blankLines += 1;
          break;
        case "too long":
          // A page never reaches into a long row, because nothing about it is certain yet.
          if (this.#count > 0) yield this.#page();
          this.#followed = this.#skip();
          break;
        case "end":
          if (this.#unproven !== undefined) this.#refuse(this.#unproven.reject);
          this.#unproven = undefined;
          return;
        case "more":
          return;
        case "unclosed":
        case "doubtful":
          throw fatal(this.#read.place, this.#scanner, step);
      }
    }
  }

  #skip(): Skipped {
    const row = new LongRow(this.#read.layout.dialect, this.#scanner.line);
    return { row, from: this.#here(), reject: this.#reject(row.line, rowTooLong) };
  }

  /** Follows a long row; true once it has ended, which also proves the one directly before it. */
  *#follow(skipped: Skipped): Generator<FilePage, boolean> {
    const { row, from } = skipped;
    const step = row.follow(this.#window);
    if (step === "more") return false;
    if (step !== "row") throw fatal(this.#read.place, row, step);
    if (row.fields !== this.#rowRead.columns) throw unproven(this.#read.place, row);
    if (this.#unproven !== undefined) {
      this.#refuse(this.#unproven.reject);
      yield this.#page(from);
    }
    this.#scanner.line = row.nextLine;
    this.#followed = undefined;
    this.#unproven = skipped;
    return true;
  }

  /**
   * Takes the scanner's row as proof that the long row before it ended where it seemed to: a quote that was never
   * closed would have swallowed rows, and left this one with the wrong fields.
   */
  #prove(): void {
    if (this.#unproven === undefined) return;
    const { fields, hasStrayQuote } = this.#scanner;
    if (fields !== this.#rowRead.columns || hasStrayQuote) {
      throw unproven(this.#read.place, this.#unproven.row);
    }
    this.#refuse(this.#unproven.reject);
    this.#unproven = undefined;
  }

  #refuse(reject: Reject): void {
    this.#rejects.push({ ...reject, rowsBefore: this.#lines.length });
  }

  #reject(line: number, fault: CsvRowFault): Reject {
    // One more than is kept, so that its keeper sees that it was cut.
    const row = this.#text.row(rejectRowCharsMax + 1);
    return { where: `${this.#read.place}:${line}`, ...fault, row };
  }

  /** Takes the rows without doubt that come next, up to the end of the page; false if there are none. */
  #takePlainRows(): boolean {
    // A row that the scanner reads must prove where the long row ended.
    if (this.#plain === undefined || this.#cells === undefined) return false;
    if (this.#unproven !== undefined || !this.#text.isValid) return false;
    const { at } = this.#window;
    const rows = this.#plain.scan(at, {
      shift: this.#cells.shiftOf(at),
      line: this.#scanner.line,
      rowsMax: this.#read.pageRowsMax - this.#count,
      bytesMax: csvPageBytesMax - this.#bytes,
    });
    if (rows.count === 0) return false;
    this.#cells.addRows(rows, at);
    for (const line of rows.lines) this.#lines.push(line);
    this.#bytes += rows.bytes;
    this.#window.at = rows.next;
    this.#scanner.line = rows.nextLine;
    return true;
  }

  #takeRow(): void {
    this.#bytes += (this.#scanner.rowEnd - this.#scanner.rowStart) * this.#window.width;
    const fault = rowFault(this.#rowRead);
    if (fault === undefined) {
      if (this.#cells === undefined) {
        this.#rows.push(new CsvRow(this.#read.layout.columns, this.#text));
      } else this.#cells.add(this.#scanner);
      this.#lines.push(this.#scanner.rowLine);
    } else {
      this.#refuse(this.#reject(this.#scanner.rowLine, fault));
    }
  }

  get #isFull(): boolean {
    return this.#count >= this.#read.pageRowsMax || this.#bytes >= csvPageBytesMax;
  }

  get #count(): number {
    return this.#lines.length + this.#rejects.length;
  }

  #here(): Place {
    return {
      offset: this.#window.offsetOf(this.#window.at),
      line: this.#scanner.line,
      tail: this.#window.hashBefore(),
    };
  }

  #page(place = this.#here()): FilePage {
    const [rows, cells] = [this.#rows, this.#cells?.take(this.#window)];
    const page = {
      ...place,
      cells,
      /** Made from the cells when asked for. */
      get rows(): readonly CsvRow[] {
        return cells === undefined ? rows : allRows(cells);
      },
      rejects: this.#rejects,
      lines: this.#lines,
    };
    this.#rows = [];
    this.#rejects = [];
    this.#lines = [];
    this.#bytes = 0;
    return page;
  }
}
