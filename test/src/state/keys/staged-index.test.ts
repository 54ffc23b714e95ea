import { expect, it } from "vitest";

import { StagedIndex } from "../../../../src/state/rules/keys/staged-index.ts";
import { numbers } from "../../../support/sequences.ts";

/** The words of one key. */
function keyOf(...[number, upper, tag, other]: readonly [number, number, number, number]): {
  readonly numbers: Int32Array;
  readonly tags: Int32Array;
} {
  return { numbers: Int32Array.of(number, upper), tags: Int32Array.of(tag, other) };
}

it("tells keys apart by every word", () => {
  const index = new StagedIndex();
  const keys = [
    keyOf(1, 2, 3, 4),
    keyOf(-1, 2, 3, 4),
    keyOf(1, -2, 3, 4),
    keyOf(1, 2, -3, 4),
    keyOf(1, 2, 3, -4),
  ];
  for (const [id, key] of keys.entries()) index.set(key, 0, { id, send: id * 10 });
  expect(keys.map((key) => index.idAt(index.find(key, 0)))).toEqual([0, 1, 2, 3, 4]);
  expect(index.find(keyOf(0, 0, 0, 0), 0)).toBe(-1);
});

it.each([0, 5_000])("keeps the last values of each key, with room for %i at first", (room) => {
  const index = new StagedIndex(room);
  const many = numbers(5_000);
  const words = Int32Array.from(many.flatMap((number) => [number * 7, number % 3]));
  const keys = { numbers: words, tags: words };
  for (const round of [1, 2]) {
    for (const at of many) index.set(keys, at, { id: at, send: at * round });
  }
  expect(index.ids()).toEqual(many);
  const found = many.map((at) => {
    const entry = index.find(keys, at);
    return [index.idAt(entry), index.sendAt(entry)];
  });
  expect(found).toEqual(many.map((at) => [at, at * 2]));
});
