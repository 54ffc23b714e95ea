import { describe, expect, it } from "vitest";

import type { Mutant } from "./mutant.ts";
import { isFresh, pageTable, readRows, type Row } from "./page.ts";

function mutantOf(id: string): Mutant {
  const edits = [{ file: "a.ts", find: "a", replace: "b" }] as const;
  return { id, plants: "a || b", edits, test: { file: "a.test.ts", title: "is | it" } };
}

const rows = new Map<string, Row>([
  ["S1", { code: "0123abcd", verdict: "red", seconds: 1.5 }],
  ["S2", { code: "89abcdef", verdict: "not green without it", seconds: 0 }],
]);

describe("readRows", () => {
  it("reads what pageTable wrote, and no row of a mutant that is gone", () => {
    const written = pageTable([mutantOf("S2"), mutantOf("S1"), mutantOf("S3")], rows);
    expect(readRows(`text\n\n${written}\n`)).toEqual(rows);
    expect(readRows(pageTable([mutantOf("S1")], rows)).has("S2")).toBe(false);
    expect(written).toContain("| test | 0123abcd |");
    const only = { ...mutantOf("S1"), whyProve: "it takes a minute" };
    expect(pageTable([only], rows)).toContain("| prove: it takes a minute | 0123abcd |");
  });
});

describe("isFresh", () => {
  it.each([
    ["S1", "0123abcd", true],
    ["S1", "0123abce", false],
    ["S2", "89abcdef", false],
    ["S3", "0123abcd", false],
  ])("says of %s with the code %s: %s", (id, code, fresh) => {
    expect(isFresh(rows.get(id), code)).toBe(fresh);
  });
});
