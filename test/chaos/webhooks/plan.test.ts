import { describe, expect, it } from "vitest";

import { webhookPlanOf } from "./plan.ts";

const awayMs = 60_000;

describe("webhookPlanOf", () => {
  it("draws the same from the same seed, and other instants from another", () => {
    const [first, again, other] = [1, 1, 2].map((seed) =>
      webhookPlanOf({ seed, kills: 20, awayMs }),
    );
    expect(again).toEqual(first);
    expect(other?.kills).not.toEqual(first?.kills);
  });

  it("keeps the first kills as they are when there are more of them", () => {
    const [few, many] = [3, 20].map((kills) => webhookPlanOf({ seed: 7, kills, awayMs }).kills);
    expect(many?.slice(0, 3)).toEqual(few);
  });

  it.each([1, 2, 20])("fills the disk and loses Temporal at one of %i kills", (kills) => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const { diskAt, awayAt } = webhookPlanOf({ seed, kills, awayMs });
      for (const at of [diskAt, awayAt]) expect(at >= 0 && at < kills, `seed ${seed}`).toBe(true);
    }
  });
});
