import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { stringEnd, textOfString } from "../../../src/mapping/json-tokens.ts";

describe("a string of JSON", () => {
  it("ends at its own quote and reads as JSON.parse reads it, whatever is in it and behind it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (text, behind) => {
        const quoted = JSON.stringify(text);
        expect(stringEnd(`[${quoted}${behind}`, 1)).toBe(1 + quoted.length);
        expect(textOfString(quoted)).toBe(text);
      }),
    );
  });

  it.each([String.raw`"\u0061"`, String.raw`"\ud800\/\\"`, String.raw`"\\\""`])(
    "reads the escapes of %s",
    (quoted) => {
      expect(stringEnd(`${quoted}"`, 0)).toBe(quoted.length);
      expect(textOfString(quoted)).toBe(JSON.parse(quoted));
    },
  );
});
