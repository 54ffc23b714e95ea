import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { withNul, withoutNul } from "../../../../src/state/store/nul-texts.ts";

const texts = fc.string({ unit: fc.constantFrom("\u0000", "\u0001", "\u0002", "a", "é") });

describe("a text in Postgres", () => {
  it("is read as it was written, and holds no NUL", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(withoutNul(text)).not.toContain("\u0000");
        expect(withNul(withoutNul(text))).toBe(text);
      }),
    );
  });

  it("is another one for another text", () => {
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        expect(withoutNul(one) === withoutNul(other)).toBe(one === other);
      }),
    );
  });
});
