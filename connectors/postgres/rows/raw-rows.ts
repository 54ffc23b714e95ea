import { PageMemory } from "../../../src/records/page-memory.ts";
import { heldBytesMax } from "../limits.ts";

/** Memory of rows that any reader released: a run has one reader for each chunk. */
const memory = new PageMemory();

/** A value as the server writes it. */
export type Text = string | null;

/** Bytes before a row's first value: the message's kind and length, and how many values there are. */
export const rowHeadBytes = 7;

const lengthBytes = 4;
const nothing = Buffer.alloc(0);
const firstBytes = 64 * 1024;
/** Little enough not to hold twice the bytes read, and enough that a value of a gigabyte is copied only a few times. */
const grownBy = 1.5;

/** The rows of one statement as the server sent them: its messages one after the other. */
export class RawRows {
  #bytes: Buffer;
  #length = 0;
  readonly #starts: number[] = [];
  /** Where the rows that are kept end, once there are others. */
  #end = Infinity;
  #notKept = 0;

  /** `bytes` is how many are expected; more are taken too. */
  constructor(bytes = firstBytes) {
    this.#bytes = memory.take(Math.max(firstBytes, bytes));
  }

  /** How many rows have begun, of those that are kept. */
  get count(): number {
    return this.#starts.length;
  }

  /** How many rows have begun, with those beyond `heldBytesMax`. */
  get came(): number {
    return this.#starts.length + this.#notKept;
  }

  /** Bytes of all rows, with what the protocol adds to each. */
  get length(): number {
    return this.#length;
  }

  /** The messages of all rows. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /**
   * Begins a row, `offset` bytes into the bytes that `take` gets next. Once two are kept, those beyond `heldBytesMax`
   * are only counted: they were asked for when nobody knew how large they are, and another statement brings them.
   */
  begin(offset: number): void {
    const start = this.#length + offset;
    if (this.#notKept === 0 && (this.count < 2 || start < heldBytesMax)) {
      this.#starts.push(start);
      return;
    }
    this.#end = Math.min(this.#end, start);
    this.#notKept += 1;
  }

  /** Takes bytes of messages, which may begin and end anywhere. */
  take(bytes: Buffer, from: number, to: number): void {
    const length = Math.min(this.#end, this.#length + to - from);
    if (length > this.#bytes.length) {
      const grown = memory.take(Math.ceil(length * grownBy));
      this.#bytes.copy(grown, 0, 0, this.#length);
      // The smaller piece is left to the collector: otherwise all pieces that a large block grew through would be held.
      this.#bytes = grown;
    }
    bytes.copy(this.#bytes, this.#length, from, from + length - this.#length);
    this.#length = length;
  }

  /** Leaves the memory to later rows: nobody reads these any more. */
  release(): void {
    memory.giveBack(this.#bytes);
    this.#bytes = nothing;
    this.#length = 0;
  }

  /** Where a row's message begins; for the row after the last one, where the last one ends. */
  startOf(row: number): number {
    return this.#starts[row] ?? this.#length;
  }

  /** Where a value begins in `bytes`, after its length. */
  placeOf(row: number, column: number): number {
    let at = this.startOf(row) + rowHeadBytes;
    for (let before = 0; before < column; before += 1) {
      at += lengthBytes + Math.max(0, this.#bytes.readInt32BE(at));
    }
    return at + lengthBytes;
  }

  /** A value as text. */
  text(row: number, column: number): Text {
    return this.#textAt(this.placeOf(row, column));
  }

  /** The values of a column, of all rows. */
  column(column: number): Text[] {
    return this.#starts.map((_, row) => this.text(row, column));
  }

  /** The values of a row that has `columns` values. */
  texts(row: number, columns: number): Text[] {
    const texts: Text[] = [];
    let at = this.placeOf(row, 0);
    while (texts.length < columns) {
      texts.push(this.#textAt(at));
      at += Math.max(0, this.#lengthAt(at)) + lengthBytes;
    }
    return texts;
  }

  /** Whether two rows have the same bytes in some columns. */
  areEqual(one: number, other: number, columns: readonly number[]): boolean {
    for (const column of columns) {
      const [at, place] = [this.placeOf(one, column), this.placeOf(other, column)];
      const length = this.#lengthAt(at);
      if (length !== this.#lengthAt(place) || !this.#isEqual(at, place, length)) return false;
    }
    return true;
  }

  #isEqual(at: number, place: number, length: number): boolean {
    const bytes = this.#bytes;
    for (let byte = 0; byte < length; byte += 1) {
      if (bytes[at + byte] !== bytes[place + byte]) return false;
    }
    return true;
  }

  /** The length of the value at a place; -1 for NULL. */
  #lengthAt(place: number): number {
    return this.#bytes.readInt32BE(place - lengthBytes);
  }

  #textAt(place: number): Text {
    const length = this.#lengthAt(place);
    return length === -1 ? null : this.#bytes.toString("utf8", place, place + length);
  }
}
