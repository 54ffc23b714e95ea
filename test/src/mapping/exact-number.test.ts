import { describe, expect, it } from "vitest";

import { exactNumber, isJsonNumber } from "../../../src/mapping/exact-number.ts";

describe("exactNumber", () => {
  it.each([
    ["9007199254740992", 2 ** 53],
    ["9007199254740994", 2 ** 53 + 2],
    ["10000000000000000000000", 1e22],
    ["1.7976931348623157e308", Number.MAX_VALUE],
    ["5e-324", Number.MIN_VALUE],
    ["100000000000000000000000000000e-29", 1],
    [`1.${"0".repeat(1_000_000)}`, 1],
    ["0e999999999999", 0],
    ["-0", 0],
  ])("takes %s, however it is written", (text, number) => {
    expect(exactNumber(text)).toBe(number);
  });

  it.each([
    "9007199254740993",
    "-9007199254740993",
    "0.1000000000000000055511151231257827",
    "1.7976931348623159e308",
    "1e999999999999",
    "3e-324",
    `${"0.".padEnd(1_000_000, "0")}1`,
  ])("refuses %.40s, which a double would change", (text) => {
    expect(exactNumber(text)).toBeUndefined();
  });
});

describe("isJsonNumber", () => {
  it("takes JSON's grammar and nothing more", () => {
    expect(["0", "-1.5e+3", "10"].every(isJsonNumber)).toBe(true);
    expect(["", "+1", "01", ".1", "1.", "1e", "--1", "1 ", "١"].some(isJsonNumber)).toBe(false);
  });
});
