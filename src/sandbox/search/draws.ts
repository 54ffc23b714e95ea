import { createHash } from "node:crypto";

/** Numbers derived from a text, and therefore the same in every run. */
export class Draws {
  readonly #digest: Buffer;
  #at = 0;

  constructor(text: string) {
    this.#digest = createHash("sha256").update(text).digest();
  }

  /** The next number, from 0 to below `end`; at most 16 can be drawn. */
  below(end: number): number {
    const drawn = this.#digest.readUInt16BE(this.#at) % end;
    this.#at += 2;
    return drawn;
  }

  /** One of a list that is not empty. */
  pick<const List extends readonly [unknown, ...unknown[]]>(list: List): List[number] {
    return list[this.below(list.length)] ?? list[0];
  }
}
