import type { HashedKeys } from "./key-hashes.ts";

/** Words of a key: two of its number, two of its tag. */
const keyWords = 4;

/** The 32-bit words of keys: unlike a bigint, a word is read without allocating memory. */
export type KeyWords = { readonly numbers: Int32Array; readonly tags: Int32Array };

/** The words of hashed keys, in the same memory. */
export function wordsOf({ numbers, tags }: HashedKeys): KeyWords {
  return {
    numbers: new Int32Array(numbers.buffer, numbers.byteOffset, numbers.length * 2),
    tags: new Int32Array(tags.buffer, tags.byteOffset, tags.byteLength / 4),
  };
}

/** What a staging makes of a key. `times`: how often it sends the key (`sent`). @default once */
type StagedKey = { readonly id: number; readonly send: number; readonly times?: number };

/** Maps each key to an id and a send; setting a key again replaces them. */
export class StagedIndex {
  #words: Int32Array;
  #ids: Int32Array;
  #sends: Float64Array;
  #times: Int8Array;
  /** Numbers of entries from 1, at the place that the key's tag selects, or at a later one. */
  #table: Int32Array;
  #size = 0;

  /** `keys`: about how many keys it will hold. */
  constructor(keys = 0) {
    const room = 2 ** Math.max(10, Math.ceil(Math.log2(keys + 1)));
    this.#words = new Int32Array(keyWords * room);
    this.#ids = new Int32Array(room);
    this.#sends = new Float64Array(room);
    this.#times = new Int8Array(room);
    this.#table = new Int32Array(2 * room);
  }

  get size(): number {
    return this.#size;
  }

  /** The number of a key's entry, -1 if it has none. */
  find(keys: KeyWords, index: number): number {
    return (this.#table[this.#placeOf(keys, index)] ?? 0) - 1;
  }

  /** The id of an entry. */
  idAt(entry: number): number {
    return this.#ids[entry] ?? 0;
  }

  /** The ids of all entries. */
  ids(): readonly number[] {
    return [...this.#ids.subarray(0, this.#size)];
  }

  /** The send of an entry, as a fingerprint has it: multiplied by how often it sends the key (`sent`). */
  sendAt(entry: number): number {
    return (this.#sends[entry] ?? 0) * (this.#times[entry] ?? 0);
  }

  /** The send of an entry, as it is numbered, also if its record was refused. */
  numberAt(entry: number): number {
    return this.#sends[entry] ?? 0;
  }

  set(keys: KeyWords, index: number, value: StagedKey): void {
    const place = this.#placeOf(keys, index);
    let entry = (this.#table[place] ?? 0) - 1;
    if (entry === -1) {
      entry = this.#size++;
      const at = entry * keyWords;
      this.#words[at] = keys.numbers[index * 2] ?? 0;
      this.#words[at + 1] = keys.numbers[index * 2 + 1] ?? 0;
      this.#words[at + 2] = keys.tags[index * 2] ?? 0;
      this.#words[at + 3] = keys.tags[index * 2 + 1] ?? 0;
      this.#table[place] = entry + 1;
    }
    this.#ids[entry] = value.id;
    this.#sends[entry] = value.send;
    this.#times[entry] = value.times ?? 1;
    if (this.#size === this.#ids.length) this.#grow();
  }

  /** The place of a key in the table, or of the gap that it would fill. */
  #placeOf({ numbers, tags }: KeyWords, index: number): number {
    const mask = this.#table.length - 1;
    const tag = tags[index * 2] ?? 0;
    for (let place = tag & mask; ; place = (place + 1) & mask) {
      const entry = this.#table[place] ?? 0;
      const at = (entry - 1) * keyWords;
      const isFound =
        entry === 0 ||
        (this.#words[at + 2] === tag &&
          this.#words[at + 3] === tags[index * 2 + 1] &&
          this.#words[at] === numbers[index * 2] &&
          this.#words[at + 1] === numbers[index * 2 + 1]);
      if (isFound) return place;
    }
  }

  #grow(): void {
    const room = 2 * this.#ids.length;
    const [words, ids, sends, times] = [this.#words, this.#ids, this.#sends, this.#times];
    this.#words = new Int32Array(keyWords * room);
    this.#words.set(words);
    this.#ids = new Int32Array(room);
    this.#ids.set(ids);
    this.#sends = new Float64Array(room);
    this.#sends.set(sends);
    this.#times = new Int8Array(room);
    this.#times.set(times);
    this.#table = new Int32Array(2 * room);
    for (let entry = 0; entry < this.#size; entry += 1) {
      const mask = this.#table.length - 1;
      let place = (this.#words[entry * keyWords + 2] ?? 0) & mask;
      while (this.#table[place] !== 0) place = (place + 1) & mask;
      this.#table[place] = entry + 1;
    }
  }
}
