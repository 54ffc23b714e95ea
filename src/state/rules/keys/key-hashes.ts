import type { TextBlock } from "../../text-block.ts";
import { createSipHash, sipWords } from "./sip-hash.ts";

/** Bytes of a tag. */
export const tagBytes = 8;

/**
 * Keys as the store knows them, hashed under a secret of the store. Half of the hash is the number by which a
 * fingerprint is looked up, and which several keys may share in theory. With the tag, the other half, the hash is as
 * long as that of a record, and distinguishes keys as reliably as that distinguishes records.
 */
export type HashedKeys = {
  /** Signed, as SQL has them. */
  readonly numbers: BigInt64Array;
  /** `tagBytes` for each key. */
  readonly tags: Uint8Array;
};

/** Hashes keys. A key has different hashes in different sets. */
export type KeyHashes = (setId: number, keys: TextBlock) => HashedKeys;

/** The prefix that names the set in front of its keys. */
function prefixOf(setId: number): Uint8Array {
  const prefix = new BigInt64Array([BigInt(setId)]);
  return new Uint8Array(prefix.buffer);
}

/**
 * Makes the hash function under a secret.
 * @param numberBits how many bits of a number are used; with few bits, keys share numbers.
 */
export function createKeyHashes(secret: Uint8Array, numberBits = 64): KeyHashes {
  const hashOfSet = new Map<number, ReturnType<typeof createSipHash>>();
  const unused = BigInt(64 - numberBits);
  return (setId, keys) => {
    const hash = hashOfSet.get(setId) ?? createSipHash(secret, prefixOf(setId));
    hashOfSet.set(setId, hash);
    const words = hash(keys);
    const count = keys.ends.length;
    const [numbers, tags] = [new Int32Array(count * 2), new Int32Array(count * 2)];
    for (let index = 0; index < count; index += 1) {
      const at = index * sipWords;
      numbers[index * 2] = words[at] ?? 0;
      numbers[index * 2 + 1] = words[at + 1] ?? 0;
      tags[index * 2] = words[at + 2] ?? 0;
      tags[index * 2 + 1] = words[at + 3] ?? 0;
    }
    const whole = new BigInt64Array(numbers.buffer);
    if (numberBits < 64)
      for (const [index, number] of whole.entries()) whole[index] = number >> unused;
    return { numbers: whole, tags: new Uint8Array(tags.buffer) };
  };
}

/** The numbers of some of the keys, in this order, as a JSON array. */
export function numbersJson({ numbers }: HashedKeys, order: readonly number[]): string {
  return `[${order.map((index) => numbers[index]).join(",")}]`;
}

/** Copies some of several items of `size` bytes each, a multiple of 4, in this order. */
export function bytesInOrder(
  bytes: Uint8Array,
  size: number,
  order: readonly number[],
): Uint8Array {
  const { buffer, byteOffset } = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  const words = size / 4;
  const [from, to] = [
    new Int32Array(buffer, byteOffset, bytes.byteLength / 4),
    new Int32Array(order.length * words),
  ];
  let at = 0;
  for (let place = 0; place < order.length; place += 1) {
    const start = (order[place] ?? 0) * words;
    for (let word = 0; word < words; word += 1) to[at++] = from[start + word] ?? 0;
  }
  return new Uint8Array(to.buffer);
}

/** Bits of an integer that a double holds exactly. */
const exactBits = 53;

// No iterators here or elsewhere in loops over each key of a run: they were most of what the store's thread allocated.

/**
 * Sorts indexes of keys by their numbers, so that neighbours share pages of a table. The order is approximate: it goes
 * by the upper halves of the numbers, which fit into doubles together with the indexes.
 */
export function byNumber(numbers: BigInt64Array, indexes: readonly number[]): number[] {
  const words = new Int32Array(numbers.buffer, numbers.byteOffset, numbers.length * 2);
  const room = 2 ** Math.ceil(Math.log2(numbers.length + 1));
  const unused = Math.max(1, (room * 2 ** 32) / 2 ** exactBits);
  const sorted = new Float64Array(indexes.length);
  for (let place = 0; place < sorted.length; place += 1) {
    const index = indexes[place] ?? 0;
    const upper = (words[index * 2 + 1] ?? 0) + 2 ** 31;
    sorted[place] = Math.floor(upper / unused) * room + index;
  }
  sorted.sort();
  const inOrder: number[] = [];
  for (let place = 0; place < sorted.length; place += 1) {
    const both = sorted[place] ?? 0;
    // The remainder of a division by `room`, which is a power of two.
    inOrder.push(both - Math.floor(both / room) * room);
  }
  return inOrder;
}
