import { expect, it } from "vitest";

import {
  bytesInOrder,
  byNumber,
  createKeyHashes,
  type HashedKeys,
} from "../../../../src/state/rules/keys/key-hashes.ts";
import { textBlockOf } from "../../../../src/state/text-block.ts";

const keys = textBlockOf(["a", "b"]);

/** Everything that distinguishes fingerprints. */
function allOf({ numbers, tags }: HashedKeys): string[] {
  return [...numbers].map(
    (number, index) => `${number} ${Buffer.from(tags).toString("hex", index * 8, index * 8 + 8)}`,
  );
}

it("tells keys, sets and stores apart", () => {
  const [one, other] = [new Uint8Array(16), new Uint8Array(16).fill(1)].map((secret) =>
    createKeyHashes(secret),
  );
  const all = [one?.(1, keys), one?.(2, keys), other?.(1, keys)].flatMap((hashed) =>
    hashed === undefined ? [] : allOf(hashed),
  );
  expect(all).toHaveLength(6);
  expect(new Set(all).size).toBe(6);
});

it("says the same of a key by itself as among others", () => {
  const hashesOf = createKeyHashes(new Uint8Array(16));
  expect(allOf(hashesOf(1, textBlockOf(["b"])))).toEqual(allOf(hashesOf(1, keys)).slice(1));
});

it("shortens the number of a key, and leaves the tag as it is", () => {
  const secret = new Uint8Array(16);
  const [whole, short] = [createKeyHashes(secret)(1, keys), createKeyHashes(secret, 8)(1, keys)];
  expect([...short.numbers].every((number) => number >= -128n && number < 128n)).toBe(true);
  expect(short.tags).toEqual(whole.tags);
});

it.each([0, 1, 3, 8])("takes things in another order, from memory that begins at %i", (offset) => {
  const bytes = Buffer.alloc(offset + 24).subarray(offset);
  for (const [index] of bytes.entries()) bytes[index] = 97 + index;
  const taken = bytesInOrder(bytes, 8, [2, 0]);
  expect(Buffer.from(taken).toString()).toBe("qrstuvwxabcdefgh");
});

it("puts keys into the order of their numbers, the lowest of those below zero first", () => {
  const numbers = BigInt64Array.of(5n << 40n, -(7n << 50n), 0n, -(1n << 62n), 1n << 62n);
  expect(byNumber(numbers, [0, 1, 2, 3, 4])).toEqual([3, 1, 2, 0, 4]);
  expect(byNumber(numbers, [2, 4, 1])).toEqual([1, 2, 4]);
});
