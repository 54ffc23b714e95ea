import { describe, expect, it } from "vitest";

import { judgePairs, medianInterval, pairsMin, ratiosOf } from "../../bench/pairs.ts";

/** 1 to `count`, shuffled. */
function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => ((index * 7) % count) + 1);
}

describe("medianInterval", () => {
  // The numbers of the sorted figures are from the tables of the sign test.
  it.each([
    [6, 1, 3.5, 6],
    [8, 1, 4.5, 8],
    [9, 2, 5, 8],
    [12, 3, 6.5, 10],
    [20, 6, 10.5, 15],
    [25, 8, 13, 18],
    [50, 18, 25.5, 33],
  ])("of %i figures goes from number %i by %d to %i", (count, ...ends) => {
    const { low, median, high } = medianInterval(upTo(count));
    expect([low, median, high]).toEqual(ends);
  });

  it("is not moved by one figure that is far away", () => {
    const figures = upTo(20).map((figure) => (figure === 20 ? 1e9 : figure));
    expect(medianInterval(figures)).toEqual(medianInterval(upTo(20)));
  });

  it("refuses figures that are too few for any interval", () => {
    expect(() => medianInterval(upTo(pairsMin - 1))).toThrow("5 figures are fewer than 6");
  });

  it("holds the true median in 95 of 100 series", () => {
    let state = 1;
    const draw = (): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    // Skewed, as times are: the median is ln 2.
    const series = Array.from({ length: 2_000 }, () =>
      medianInterval(Array.from({ length: 20 }, () => -Math.log(draw()))),
    );
    const hits = series.filter(({ low, high }) => low <= Math.LN2 && Math.LN2 <= high);
    expect(hits.length / series.length).toBeGreaterThan(0.945);
    expect(hits.length / series.length).toBeLessThan(0.975);
  });
});

it("ratiosOf divides pair by pair", () => {
  expect(ratiosOf([2, 9], [1, 3])).toEqual([2, 3]);
});

describe("judgePairs", () => {
  it.each([
    ["holds", 0.9, 1.05],
    ["open", 0.9, 1.06],
    ["open", 1.05, 1.2],
    ["broken", 1.051, 1.2],
  ])("says %s from %d to %d", (verdict, low, high) => {
    expect(judgePairs({ low, median: (low + high) / 2, high }, 1.05)).toBe(verdict);
  });
});
