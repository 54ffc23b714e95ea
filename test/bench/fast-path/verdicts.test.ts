import { describe, expect, it } from "vitest";

import { type Bound, bounds } from "../../../bench/fast-path/bounds.ts";
import { boundRows, judgeFigure } from "../../../bench/fast-path/verdicts.ts";

const bound: Bound = { part: "keys", what: "a key", must: 6, aim: 3, unit: "µs" };

describe("judgeFigure", () => {
  it.each([
    [2.999, "aim reached"],
    [3, "aim reached"],
    [3.001, "holds"],
    [6, "holds"],
    [6.001, "broken"],
    [Number.NaN, "broken"],
    [Number.POSITIVE_INFINITY, "broken"],
  ])("says of %d that it is: %s", (value, verdict) => {
    expect(judgeFigure(bound, value)).toBe(verdict);
  });
});

describe("the table", () => {
  it("shows each figure with its unit, its bounds and its verdict", () => {
    const rows = boundRows([
      { bound, figure: { value: 6.0412, from: "all threads" } },
      { bound: { ...bound, unit: "" }, figure: { value: 1234.5, from: "" } },
      { bound, figure: { value: 0.01234, from: "" } },
    ]);
    expect(rows).toEqual([
      ["what", "must", "aim", "measured", "of which", ""],
      ["a key", "<= 6 µs", "<= 3 µs", "6.041 µs", "all threads", "**broken**"],
      ["a key", "<= 6", "<= 3", "1235", "", "**broken**"],
      ["a key", "<= 6 µs", "<= 3 µs", "0.01234 µs", "", "aim reached"],
    ]);
  });

  it("aims at no more than it must be", () => {
    const wrong = Object.entries(bounds).filter(([, { must, aim }]) => aim > must);
    expect(wrong).toEqual([]);
  });
});
