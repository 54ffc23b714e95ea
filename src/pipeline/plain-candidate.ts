import type { Candidate } from "./page.ts";

/** Where a line is among those of its page; its key is between its quotes, as JSON writes it. */
type LinePlace = {
  readonly index: number;
  readonly start: number;
  readonly end: number;
  readonly keyFrom: number;
  readonly keyTo: number;
};

const backslash = 0x5c;

/** A record whose row was never an object. Its key is made of the bytes of its line when somebody asks. */
export class PlainCandidate implements Candidate {
  readonly index: number;
  readonly start: number;
  readonly end: number;
  readonly record: undefined;
  readonly #keyFrom: number;
  readonly #keyTo: number;
  readonly #page: { readonly jsonl: Buffer };

  constructor(page: { readonly jsonl: Buffer }, place: LinePlace) {
    this.index = place.index;
    this.start = place.start;
    this.end = place.end;
    this.#keyFrom = place.keyFrom;
    this.#keyTo = place.keyTo;
    this.#page = page;
  }

  get key(): string {
    const json = this.keyJson;
    const text = json.toString();
    return json.includes(backslash) ? String(JSON.parse(`"${text}"`)) : text;
  }

  /** Its key as JSON writes it, without the quotes; it shares the memory of the page. */
  get keyJson(): Buffer {
    return this.#page.jsonl.subarray(this.#keyFrom, this.#keyTo);
  }
}
