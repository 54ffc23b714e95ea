import { hash } from "node:crypto";

/** A record that may be looked up. */
export type Drawn = { readonly key: string };

/**
 * A sample drawn by a seed: the records with the smallest hashes of seed and key. So it does not depend on the order
 * of the rows, and a second lookup with the same seed gets the same records, as far as they still exist.
 */
export class SeededSample<Item extends Drawn> {
  readonly #size: number;
  readonly #seed: number;
  readonly #keepsFirst: boolean;
  #drawn: { readonly rank: string; readonly item: Item }[] = [];

  /** @param keepsFirst whether the first of several records with one key counts, not the last. */
  constructor(size: number, seed: number, keepsFirst: boolean) {
    this.#size = size;
    this.#seed = seed;
    this.#keepsFirst = keepsFirst;
  }

  #rank(key: string): string {
    return hash("sha256", `${this.#seed}\n${key}`);
  }

  /** Whether a record of the key would be drawn now. */
  wants(key: string): boolean {
    const last = this.#drawn.length < this.#size ? undefined : this.#drawn.at(-1);
    return last === undefined || this.#rank(key) <= last.rank;
  }

  /** Adds a record; it replaces an earlier one with its key, unless the first counts. */
  add(item: Item): void {
    if (!this.wants(item.key)) return;
    const rank = this.#rank(item.key);
    const at = this.#drawn.findIndex((drawn) => drawn.rank >= rank);
    const isAgain = this.#drawn[at]?.rank === rank;
    if (isAgain && this.#keepsFirst) return;
    this.#drawn.splice(at === -1 ? this.#drawn.length : at, isAgain ? 1 : 0, { rank, item });
    if (this.#drawn.length > this.#size) this.#drawn.pop();
  }

  /** The drawn records by rank: the first of them are the sample of a smaller size. */
  items(): readonly Item[] {
    return this.#drawn.map(({ item }) => item);
  }
}
