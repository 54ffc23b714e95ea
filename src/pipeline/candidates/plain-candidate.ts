import type { Candidate } from "./candidate.ts";

const backslash = 0x5c;

/** A record whose row was never an object. Its key is made from the bytes of its line on demand. */
export class PlainCandidate implements Candidate {
  readonly index: number;
  readonly start: number;
  readonly end: number;
  readonly keyFrom: number;
  readonly keyTo: number;
  readonly #page: { readonly jsonl: Buffer };

  constructor(page: { readonly jsonl: Buffer }, place: Omit<Candidate, "key">) {
    this.index = place.index;
    this.start = place.start;
    this.end = place.end;
    this.keyFrom = place.keyFrom;
    this.keyTo = place.keyTo;
    this.#page = page;
  }

  get key(): string {
    const json = this.#page.jsonl.subarray(this.keyFrom, this.keyTo);
    const text = json.toString();
    return json.includes(backslash) ? String(JSON.parse(`"${text}"`)) : text;
  }
}
