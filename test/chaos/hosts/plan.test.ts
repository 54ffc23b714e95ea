import { expect, it } from "vitest";

import { hostsPlanOf } from "./plan.ts";

it("hostsPlanOf() draws the same from the same seed, with every fault, and another order from another", () => {
  const [first, again, other] = [1, 1, 2].map((seed) => hostsPlanOf({ seed, kills: 20 }));
  expect(again).toEqual(first);
  expect(other?.injections).not.toEqual(first?.injections);
  for (const plan of [first, other]) {
    const faults = plan?.injections.map(({ fault }) => fault) ?? [];
    expect(faults.filter((fault) => fault === "kill-receiver")).toHaveLength(20);
    expect(faults.filter((fault) => fault !== "kill-receiver").toSorted()).toEqual([
      "cut-from-store",
      "cut-from-temporal",
      "kill-postgres",
      "kill-worker",
      "lose-worker",
      "stop-worker",
    ]);
    // One clock is right, and the others are hours off, in both directions.
    expect(plan?.clockHours.map(Math.sign)).toEqual([0, 1, -1]);
  }
});
