import { describe, expect, it } from "vitest";

import { Dice } from "./seeded-random.ts";

const names = Array.from({ length: 1_000 }, (_, number) => `draw ${number}`);

describe("a Dice", () => {
  it("draws whole numbers from one end to the other, both included", () => {
    const dice = new Dice(1);
    const drawn = names.map((name) => dice.whole(name, 3, 5));
    expect(new Set(drawn)).toEqual(new Set([3, 4, 5]));
  });

  it("draws each of several things", () => {
    const dice = new Dice(1);
    const drawn = names.map((name) => dice.pick(name, ["a", "b", "c"]));
    expect(new Set(drawn)).toEqual(new Set(["a", "b", "c"]));
  });

  it("draws what happens about as often as it shall, and the same under the same name", () => {
    const happened = names.filter((name) => new Dice(7).happens(name, 0.15));
    expect(happened.length).toBeGreaterThan(110);
    expect(happened.length).toBeLessThan(190);
    expect(happened.every((name) => new Dice(7).happens(name, 0.15))).toBe(true);
  });
});
