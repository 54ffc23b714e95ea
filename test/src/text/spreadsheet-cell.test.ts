import { describe, expect, it } from "vitest";

import { defused, defusedThroughout } from "../../../src/text/spreadsheet-cell.ts";

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

describe("defusedThroughout", () => {
  it.each([
    ["=1", "'=1"],
    ["x;=1", "x;'=1"],
    ["x;=1;y;'@2", "x;'=1;y;''@2"],
    ['x;"=1"', `x;'"=1"`],
    ["x\t=1\n-2\r\n＋3", "x\t'=1\n'-2\r\n'＋3"],
    ["\t=1", "'\t'=1"],
    ["a;b\r\nc\td;e", "a;b\r\nc\td;e"],
    ["a=1, b-2; c", "a=1, b-2; c"],
  ])("makes of %j %j", (text, cell) => {
    expect(defusedThroughout(text)).toBe(cell);
  });
});
