import { placeWords } from "../../mapping/bytes/plain-lines.ts";
import type { Candidate } from "./candidate.ts";
import { PlainCandidate } from "./plain-candidate.ts";

type Place = Pick<Candidate, "end" | "index" | "keyFrom" | "keyTo" | "start">;

type Made = Pick<Candidate, "key">;

/**
 * The records of a page in the order of their rows: the place of each, and the key of those that were objects.
 * Places are numbers: an object for each would live as long as the store judges it, and the collector would look at it
 * again and again. Such objects took a tenth of an unchanged night.
 */
export class Candidates implements Iterable<Candidate> {
  /** The lines, each followed by a line feed, including those of records that were left out. */
  jsonl: Buffer;
  length = 0;
  readonly #places: Int32Array;
  /** By row index; the other records were never objects. */
  readonly #made = new Map<number, Made>();

  /** `places` has room for as many records as the page has rows; it is new if none is passed. */
  constructor(rows: number, jsonl: Buffer, places: Int32Array = new Int32Array(rows * placeWords)) {
    this.jsonl = jsonl;
    this.#places = places;
  }

  /** Candidates made from objects, for a page of such lines. */
  static of(objects: readonly Candidate[], jsonl: Buffer): Candidates {
    const candidates = new Candidates(objects.length, jsonl);
    for (const object of objects) candidates.add(object, object);
    return candidates;
  }

  /** Adds a record. */
  add({ index, start, end, keyFrom, keyTo }: Place, made?: Made): void {
    this.#places.set([index, start, end, keyFrom, keyTo], this.length * placeWords);
    if (made !== undefined) this.#made.set(index, made);
    this.length += 1;
  }

  /** Adds records that were never objects, by places as in `PlainLines`. */
  addPlaces(places: Int32Array): void {
    this.#places.set(places, this.length * placeWords);
    this.length += places.length / placeWords;
  }

  /** The index of the row of a record. */
  rowOf(position: number): number {
    return this.#places[position * placeWords] ?? 0;
  }

  /** Where the line of a record begins. */
  startOf(position: number): number {
    return this.#places[position * placeWords + 1] ?? 0;
  }

  /** Where its line ends, without the line end. */
  endOf(position: number): number {
    return this.#places[position * placeWords + 2] ?? 0;
  }

  /** Where its key begins in the lines, between its quotes; -1 where the record was an object. */
  keyFromOf(position: number): number {
    return this.#places[position * placeWords + 3] ?? -1;
  }

  /** Where its key ends. */
  keyToOf(position: number): number {
    return this.#places[position * placeWords + 4] ?? -1;
  }

  /** Its line, without its line end; it shares the memory of the page. */
  lineAt(position: number): Buffer {
    return this.jsonl.subarray(this.startOf(position), this.endOf(position));
  }

  /** Its key, which is made on demand. */
  keyAt(position: number): string {
    return this.at(position).key;
  }

  /** One record as an object. */
  at(position: number): Candidate {
    const place = {
      index: this.rowOf(position),
      start: this.startOf(position),
      end: this.endOf(position),
      keyFrom: this.keyFromOf(position),
      keyTo: this.keyToOf(position),
    };
    const made = this.#made.get(place.index);
    if (made !== undefined) return { ...place, key: made.key };
    return new PlainCandidate(this, place);
  }

  /** Keeps only the records for which `isKept` returns true; calls it once for each, in order. */
  keep(isKept: (position: number) => boolean): void {
    const places = this.#places;
    let kept = 0;
    for (let position = 0; position < this.length; position += 1) {
      if (!isKept(position)) continue;
      if (kept < position) {
        const from = position * placeWords;
        places.copyWithin(kept * placeWords, from, from + placeWords);
      }
      kept += 1;
    }
    this.length = kept;
  }

  *[Symbol.iterator](): Generator<Candidate> {
    for (let position = 0; position < this.length; position += 1) yield this.at(position);
  }

  /** Like an array's. */
  map<Result>(make: (candidate: Candidate) => Result): Result[] {
    return Array.from(this, make);
  }

  /** Like an array's. */
  filter(isWanted: (candidate: Candidate) => boolean): Candidate[] {
    return Array.from(this).filter((candidate) => isWanted(candidate));
  }
}
