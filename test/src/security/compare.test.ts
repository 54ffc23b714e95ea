import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { compare } from "../../../src/security/compare.ts";

describe("compare", () => {
  it("finds texts equal that are, and no others", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (given, expected) => {
        expect(compare(given, given)).toBe(true);
        expect(compare(given, expected)).toBe(given === expected);
        expect(compare(`${given}x`, given)).toBe(false);
      }),
    );
  });
});
