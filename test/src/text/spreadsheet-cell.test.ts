import { describe, expect, it } from "vitest";

import { defused } from "../../../src/text/spreadsheet-cell.ts";

describe("defused", () => {
  it("puts an apostrophe before what a spreadsheet would run", () => {
    for (const start of ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]) {
      expect(defused(`${start}1`)).toBe(`'${start}1`);
    }
  });

  it("leaves all other text as it is", () => {
    for (const text of ["", "Acme", "a=1", " =1", "'", "'a", "007"])
      expect(defused(text)).toBe(text);
  });

  it("keeps different texts different", () => {
    expect(defused("'=1")).toBe("''=1");
  });
});
