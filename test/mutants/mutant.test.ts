import { describe, expect, it } from "vitest";

import { applyEdit } from "./mutant.ts";

const edit = { file: "a.ts", find: "if (a) ", replace: "$& " };

describe("applyEdit", () => {
  it("puts the one text in the place of the other, to the letter", () => {
    expect(applyEdit("x\nif (a) b();\n", edit)).toBe("x\n$& b();\n");
  });

  it.each([
    ["x\n", "a.ts holds 0 times, and not once: if (a)"],
    ["if (a) b(); if (a) c();", "a.ts holds 2 times, and not once: if (a)"],
  ])("refuses code that has moved: %j", (text, message) => {
    expect(() => applyEdit(text, edit)).toThrow(message);
  });
});
