import { expect, it } from "vitest";

import { DrawnKeys, KeyFilter } from "../../../../src/state/rules/keys/drawn-keys.ts";
import { createKeyHashes } from "../../../../src/state/rules/keys/key-hashes.ts";
import { type KeyWords, wordsOf } from "../../../../src/state/rules/keys/staged-index.ts";
import { textBlockOf } from "../../../../src/state/text-block.ts";
import { numbers } from "../../../support/sequences.ts";

const many = 400_000;

const hashesOf = createKeyHashes(new Uint8Array(16).fill(7));

function wordsOfKeys(prefix: string, count: number): KeyWords {
  return wordsOf(hashesOf(1, textBlockOf(numbers(count).map((key) => `${prefix}${key}`))));
}

it("has every key that was added, through several layers, and takes few others for one", () => {
  const filter = new KeyFilter();
  const [own, other] = [wordsOfKeys("own", many), wordsOfKeys("other", many)];
  const indexes = numbers(many).map((key) => key - 1);
  expect(indexes.every((index) => filter.add(own, index))).toBe(true);
  expect(indexes.filter((index) => !filter.has(own, index))).toEqual([]);
  expect(indexes.filter((index) => filter.has(other, index)).length).toBeLessThan(many * 0.02);
});

it("holds so many keys and says where there is no room", () => {
  const filter = new KeyFilter(2);
  const words = wordsOfKeys("k", 3);
  expect([0, 1, 2].map((index) => filter.add(words, index))).toEqual([true, true, false]);
  expect([0, 1].every((index) => filter.has(words, index))).toBe(true);
});

it("knows the keys of a set whose ids were all given out here, and of no other", () => {
  const drawn = new DrawnKeys();
  expect(drawn.of(1, 5)).toBeUndefined();
  const words = wordsOfKeys("k", 2);
  expect(drawn.of(1, 1)?.add(words, 0)).toBe(true);
  drawn.drew(1, 2);
  expect([drawn.of(1, 2)?.has(words, 0), drawn.of(1, 2)?.has(words, 1)]).toEqual([true, false]);
  expect(drawn.of(2, 2)).toBeUndefined();
  expect(drawn.of(1, 3)).toBeUndefined();
  expect(drawn.of(1, 2)).toBeUndefined();
});

it("holds the filters of four sets, and lets go of the one that was asked for longest ago", () => {
  const drawn = new DrawnKeys();
  for (const set of [1, 2, 3, 4]) {
    drawn.of(set, 1);
    drawn.drew(set, 10);
  }
  drawn.of(1, 10);
  drawn.of(5, 1);
  expect([2, 1, 3, 4].map((set) => drawn.of(set, 10) !== undefined)).toEqual([
    false,
    true,
    true,
    true,
  ]);
});
