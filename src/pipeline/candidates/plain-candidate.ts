import type { Candidate } from "../page.ts";

const backslash = 0x5c;

/** Where a line is among those of its page, and its key between its quotes, as JSON writes it. */
type LinePlace = Pick<Candidate, "end" | "index" | "start"> & {
  readonly keyJson: NonNullable<Candidate["keyJson"]>;
};

/** A record whose row was never an object. Its key is made of the bytes of its line when somebody asks. */
export class PlainCandidate implements Candidate {
  readonly index: number;
  readonly start: number;
  readonly end: number;
  readonly keyJson: NonNullable<Candidate["keyJson"]>;
  readonly record: undefined;
  readonly #page: { readonly jsonl: Buffer };

  constructor(page: { readonly jsonl: Buffer }, { index, start, end, keyJson }: LinePlace) {
    this.index = index;
    this.start = start;
    this.end = end;
    this.keyJson = keyJson;
    this.#page = page;
  }

  get key(): string {
    const { from, to } = this.keyJson;
    const json = this.#page.jsonl.subarray(from, to);
    const text = json.toString();
    return json.includes(backslash) ? String(JSON.parse(`"${text}"`)) : text;
  }
}
