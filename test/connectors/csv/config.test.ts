import { describe, expect, it } from "vitest";

import { csvConfig } from "../../../connectors/csv/config.ts";
import { columnsMax } from "../../../connectors/csv/limits.ts";

function accepts(length: number): boolean {
  const columns = Array.from({ length }, (_, index) => `c${index}`);
  return csvConfig.safeParse({ path: "a", columns }).success;
}

describe("csvConfig", () => {
  it("needs a path and nothing else", () => {
    expect(csvConfig.parse({ path: "a.csv" })).toEqual({
      path: "a.csv",
      quote: '"',
      encoding: "utf-8",
      append_only: false,
    });
  });

  it.each([["tab"], ["\\t"], ["\t"]])("takes %j for a tab", (delimiter) => {
    expect(csvConfig.parse({ path: "a", delimiter }).delimiter).toBe("\t");
  });

  it.each<[what: string, members: object, path: string]>([
    ["no path", { path: "" }, "path"],
    ["a NUL in the path", { path: "a\0b" }, "path"],
    ["a delimiter of two characters", { path: "a", delimiter: "::" }, "delimiter"],
    ["a delimiter that is not ASCII", { path: "a", delimiter: "·" }, "delimiter"],
    ["a line end for a delimiter", { path: "a", delimiter: "\n" }, "delimiter"],
    ["a quote of two characters", { path: "a", quote: "''" }, "quote"],
    ["quote and delimiter alike", { path: "a", quote: ";", delimiter: ";" }, "quote"],
    ["no header and no columns", { path: "a", header: false }, "header"],
    ["header and columns", { path: "a", header: true, columns: ["a"] }, "columns"],
    ["no columns", { path: "a", columns: [] }, "columns"],
    ["a column twice", { path: "a", columns: ["a", "a"] }, "columns"],
    ["an unnamed column", { path: "a", columns: ["a", ""] }, "columns"],
    ["an unknown encoding", { path: "a", encoding: "shift-jis" }, "encoding"],
  ])("refuses %s", (_, members, path) => {
    const result = csvConfig.safeParse(members);
    expect(result.error?.issues[0]?.path[0]).toBe(path);
  });

  it("refuses an unknown member", () => {
    expect(csvConfig.safeParse({ path: "a", seperator: ";" }).success).toBe(false);
  });

  it("takes columns up to the limit", () => {
    expect([columnsMax - 1, columnsMax, columnsMax + 1].map(accepts)).toEqual([true, true, false]);
  });
});
