import { createHash } from "node:crypto";

/**
 * Draws that depend only on the seed and the name of the draw: an additional draw changes no other, and the same seed
 * always gives the same values.
 */
export class SeededRandom {
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** From 0 up to, but not including, 1. */
  fraction(what: string): number {
    const hash = createHash("sha256").update(`${this.#seed} ${what}`).digest();
    return hash.readUIntBE(0, 6) / 2 ** 48;
  }

  /** A whole number from `min` to `max`, both included. */
  whole(what: string, min: number, max: number): number {
    return min + Math.floor(this.fraction(what) * (max - min + 1));
  }

  /** True for this share of all seeds. */
  happens(what: string, share: number): boolean {
    return this.fraction(what) < share;
  }

  /** One of the items, all equally likely. */
  pick<Item>(what: string, [first, ...others]: readonly [Item, ...Item[]]): Item {
    return others[this.whole(what, 0, others.length) - 1] ?? first;
  }
}
