import { describe, expect, it } from "vitest";

import type { OracleRow } from "../support/ledger/facts.ts";
import { coveredRows } from "../support/ledger/view.ts";

const places = ["a-0.csv:2", "a-0.csv:3", "a-0.csv:5", "a-1.csv:2", "a-1.csv:3"];

const oracle: readonly OracleRow[] = places.map((place, index) => ({
  key: `k${index}`,
  place,
  verdict: { kind: "filtered" },
}));

describe("coveredRows", () => {
  it.each([
    ["the source's beginning", null, 0],
    ["a file's header", { file: "a-0.csv", line: 2 }, 0],
    ["a row", { file: "a-0.csv", line: 3 }, 1],
    ["a row of two lines", { file: "a-0.csv", line: 5 }, 2],
    ["a file's end", { file: "a-0.csv", line: 6 }, 3],
    ["the next file's header", { file: "a-1.csv", line: 2 }, 3],
    ["the source's end", { file: "a-1.csv", line: 4 }, 5],
  ])("counts the rows before %s", (_what, position, rows) => {
    expect(coveredRows(oracle, position)).toBe(rows);
  });

  it("refuses a position in a file that the source does not have", () => {
    expect(() => coveredRows(oracle, { file: "b.csv", line: 2 })).toThrow("is in b.csv");
  });
});
