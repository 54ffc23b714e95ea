import { describe, expect, it } from "vitest";

import { CoercionRefusal } from "../../../src/mapping/refusal.ts";
import { fillTemplate, parseTemplate } from "../../../src/mapping/template.ts";

function filled(template: string, row: Readonly<Record<string, unknown>>): unknown {
  return fillTemplate(parseTemplate(template) ?? [], (column) => row[column]);
}

describe("parseTemplate", () => {
  it("tells text, columns and escaped braces apart", () => {
    expect(parseTemplate("{{{first name}}} {last}")).toEqual([
      { text: "{" },
      { column: "first name" },
      { text: "}" },
      { text: " " },
      { column: "last" },
    ]);
  });

  it.each(["{", "}", "{first", "first}", "{}", "{a{b}}", "{{a}"])(
    "refuses %s, whose braces do not pair",
    (template) => {
      expect(parseTemplate(template)).toBeUndefined();
    },
  );
});

describe("fillTemplate", () => {
  it("fills in columns, numbers as JSON writes them", () => {
    expect(filled("{a}-{b}-{a}", { a: "x", b: 1.5 })).toBe("x-1.5-x");
  });

  it("fills in nothing for an empty column", () => {
    expect(filled("{a} {b}", { a: "x", b: null })).toBe("x ");
  });

  it("is empty when all its columns are", () => {
    expect(filled("{a} {b}", { a: "" })).toBe("");
  });

  it("does not read braces in values", () => {
    expect(filled("{a}", { a: "{b}", b: "no" })).toBe("{b}");
  });

  it("refuses a value that is not text", () => {
    expect(filled("{a}", { a: ["x"] })).toMatchObject({ code: "not_text" });
  });

  it("refuses what the source says it cannot give in its words", () => {
    const refusal = new CoercionRefusal("not_number", "is not a finite number");
    expect(filled("{a}", { a: refusal })).toBe(refusal);
  });
});
