import type { KeyWords } from "./staged-index.ts";

/** Bits of the first layer of a filter. */
const firstBits = 2 ** 20;

/** Size of a layer as a multiple of the layer before, up to the largest layer of 8 MB. */
const growth = 4;
const lastBits = 2 ** 26;

/** Bits of a layer for each key. Each key sets three, so that one in 200 other keys is mistaken for a member. */
const bitsPerKey = 16;

/** Keys that a filter holds: eight layers, 45 MB. */
const filterKeysMax = 22_000_000;

/** Sets whose filters are kept: the most recently used ones. */
const setsMax = 4;

function hasBit(layer: Uint32Array, word = 0): boolean {
  const bit = word & (layer.length * 32 - 1);
  return ((layer[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0;
}

function setBit(layer: Uint32Array, word = 0): void {
  const bit = word & (layer.length * 32 - 1);
  layer[bit >>> 5] = (layer[bit >>> 5] ?? 0) | (1 << (bit & 31));
}

/**
 * A Bloom filter of keys, in layers that it fills one by one. It may mistake other keys for its own, but never misses
 * one of its own.
 */
export class KeyFilter {
  /** The largest first. */
  readonly #layers: Uint32Array[] = [];
  #room = 0;
  #left: number;

  constructor(keysMax = filterKeysMax) {
    this.#left = keysMax;
  }

  has({ numbers, tags }: KeyWords, index: number): boolean {
    const at = index * 2;
    const isIn = (layer: Uint32Array): boolean =>
      hasBit(layer, numbers[at]) && hasBit(layer, tags[at]) && hasBit(layer, tags[at + 1]);
    return this.#layers.some(isIn);
  }

  /** Adds a key; returns whether there was room for it. */
  add({ numbers, tags }: KeyWords, index: number): boolean {
    if (this.#left === 0) return false;
    if (this.#room === 0) {
      const bits = Math.min(firstBits * growth ** this.#layers.length, lastBits);
      this.#layers.unshift(new Uint32Array(bits / 32));
      this.#room = bits / bitsPerKey;
    }
    const [layer] = this.#layers;
    if (layer === undefined) return false;
    const at = index * 2;
    for (const word of [numbers[at], tags[at], tags[at + 1]]) setBit(layer, word);
    this.#room -= 1;
    this.#left -= 1;
    return true;
  }
}

/** All keys of a set, and the id that its next new key gets. */
type Drawn = { readonly filter: KeyFilter; nextId: number };

/**
 * The keys that have an id, for sets whose ids were all assigned by this process. A key that is not among them has no
 * fingerprint, and is not looked up, so that a first load looks up nothing in a table that it fills. The next id of a
 * set shows whether another process assigned one: no id is assigned twice, and nothing else makes a fingerprint.
 */
export class DrawnKeys {
  readonly #sets = new Map<number, Drawn>();
  readonly #keysMax: number | undefined;

  /** @param keysMax of a set; in a set with more keys, every key is looked up. @default 22 million */
  constructor(keysMax?: number) {
    this.#keysMax = keysMax;
  }

  /** Undefined if not all keys of the set are known; `nextId` is the set's next id in this transaction. */
  of(setId: number, nextId: number): KeyFilter | undefined {
    const found =
      nextId === 1 ? { filter: new KeyFilter(this.#keysMax), nextId } : this.#sets.get(setId);
    this.#sets.delete(setId);
    if (found?.nextId !== nextId) return undefined;
    this.#sets.set(setId, found);
    const [oldest = setId] = this.#sets.keys();
    if (this.#sets.size > setsMax) this.#sets.delete(oldest);
    return found.filter;
  }

  /** Notes that exactly the keys of the filter have the ids before `nextId`. */
  drew(setId: number, nextId: number): void {
    const found = this.#sets.get(setId);
    if (found !== undefined) found.nextId = nextId;
  }

  /** Forgets all sets, for instance after a failed transaction. */
  forget(): void {
    this.#sets.clear();
  }
}
