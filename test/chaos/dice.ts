import { createHash } from "node:crypto";

/**
 * Draws that depend on nothing but the seed and the name of what is drawn: one more draw moves no other, and
 * the same seed always gives the same.
 */
export class Dice {
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** From 0 to below 1. */
  fraction(what: string): number {
    const hash = createHash("sha256").update(`${this.#seed} ${what}`).digest();
    return hash.readUIntBE(0, 6) / 2 ** 48;
  }

  /** A whole number; both ends are possible. */
  whole(what: string, min: number, max: number): number {
    return min + Math.floor(this.fraction(what) * (max - min + 1));
  }

  /** True in this share of all seeds. */
  happens(what: string, share: number): boolean {
    return this.fraction(what) < share;
  }

  /** One of them, each as likely as the other. */
  pick<Item>(what: string, [first, ...others]: readonly [Item, ...Item[]]): Item {
    return others[this.whole(what, 0, others.length) - 1] ?? first;
  }
}
