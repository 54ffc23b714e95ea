import { expect, it } from "vitest";

import { eachAtOnce } from "../../../src/schedules/each-at-once.ts";

const items = Array.from({ length: 10 }, (_, at) => at);

it("does each once, in their order, so many at a time", async () => {
  const begun: number[] = [];
  let [underWay, most] = [0, 0];
  await eachAtOnce(items, 3, async (item) => {
    begun.push(item);
    most = Math.max(most, ++underWay);
    await new Promise(setImmediate);
    underWay--;
  });
  expect([begun, most, underWay]).toEqual([items, 3, 0]);
});

it("begins no further one once one has failed", async () => {
  const begun: number[] = [];
  const done = eachAtOnce(items, 3, async (item) => {
    begun.push(item);
    await new Promise(setImmediate);
    if (item === 1) throw new Error("no");
  });
  await expect(done).rejects.toThrow("no");
  for (let turn = 0; turn < items.length; turn++) await new Promise(setImmediate);
  // The first worker continued with another item before the second failed.
  expect(begun).toEqual([0, 1, 2, 3]);
});
