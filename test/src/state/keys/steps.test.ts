import * as fc from "fast-check";
import { expect, it } from "vitest";

import { createKeyHashes } from "../../../../src/state/rules/keys/key-hashes.ts";
import { inTransactions } from "../../../../src/state/rules/keys/steps.ts";
import { textBlockOf } from "../../../../src/state/text-block.ts";

const hashesOf = createKeyHashes(new Uint8Array(16), 1);

/** The keys of each step of each transaction. */
function stepsOf(keys: readonly string[]): string[][][] {
  return inTransactions(hashesOf(1, textBlockOf(keys))).map((steps) =>
    steps.map((step) => step.map((index) => keys[index] ?? "")),
  );
}

it("has no key twice in a step, each row once, and the rows of a key in their order", () => {
  const key = fc.constantFrom("a", "b", "c", "d");
  fc.assert(
    fc.property(fc.array(key, { maxLength: 40 }), (keys) => {
      const steps = inTransactions(hashesOf(1, textBlockOf(keys))).flat();
      for (const step of steps) {
        expect(new Set(step.map((index) => keys[index])).size).toBe(step.length);
      }
      expect(steps.flat().toSorted((one, other) => one - other)).toEqual(keys.map((_, at) => at));
      for (const one of "abcd") {
        const rows = steps.flat().filter((index) => keys[index] === one);
        expect(rows).toEqual(rows.toSorted((first, second) => first - second));
      }
    }),
  );
});

it.each([
  [9_999, [9_999]],
  [10_000, [10_000]],
  [10_001, [10_000, 1]],
])("puts %i keys into transactions of %j", (count, sizes) => {
  const keys = Array.from({ length: count }, (_, index) => String(index));
  expect(stepsOf(keys).map((steps) => steps.flat().length)).toEqual(sizes);
});

it("puts no more than some hundreds of rows of one key into a transaction", () => {
  const transactions = stepsOf(Array<string>(1_000).fill("a"));
  expect(Math.max(...transactions.map((steps) => steps.length))).toBeLessThan(500);
});
