import { describe, expect, it } from "vitest";

import { SeededRandom } from "./seeded-random.ts";

const names = Array.from({ length: 1_000 }, (_, number) => `draw ${number}`);

describe("a SeededRandom", () => {
  it("draws whole numbers from one end to the other, both included", () => {
    const random = new SeededRandom(1);
    const drawn = names.map((name) => random.whole(name, 3, 5));
    expect(new Set(drawn)).toEqual(new Set([3, 4, 5]));
  });

  it("draws each of several things", () => {
    const random = new SeededRandom(1);
    const drawn = names.map((name) => random.pick(name, ["a", "b", "c"]));
    expect(new Set(drawn)).toEqual(new Set(["a", "b", "c"]));
  });

  it("draws what happens about as often as it shall, and the same under the same name", () => {
    const happened = names.filter((name) => new SeededRandom(7).happens(name, 0.15));
    expect(happened.length).toBeGreaterThan(110);
    expect(happened.length).toBeLessThan(190);
    expect(happened.every((name) => new SeededRandom(7).happens(name, 0.15))).toBe(true);
  });
});
