import { describe, expect, it } from "vitest";

import { writeLines } from "../../../src/pipeline/lines.ts";
import type { RecordPage } from "../../../src/pipeline/page.ts";
import { collect, streamOf } from "../../support/sequences.ts";
import { isBalanced, linePage, makeReject } from "./support.ts";

/** The page behind `writeLines`, of one account of this name. */
async function lineOf(name: string, bytesMax?: number): Promise<RecordPage> {
  const page = linePage([["k", ""]]);
  page.candidates = page.candidates.map((candidate) => ({
    ...candidate,
    record: { account_id: 7, name },
    key: "",
  }));
  const how = { keyField: "account_id", bytesMax, makeReject };
  const [written] = await collect(writeLines(streamOf([page]), how));
  if (written === undefined) throw new Error("no page");
  return written;
}

describe("writeLines", () => {
  it("writes each record as one line of JSON, with its key as text", async () => {
    const { candidates } = await lineOf("two\nlines \u2028");
    expect(candidates).toMatchObject([
      { key: "7", line: '{"account_id":7,"name":"two\\nlines \u2028"}' },
    ]);
  });

  // {"account_id":7,"name":""} has 26 bytes; é has two, € three, 😀 four.
  it.each([
    ["xx", 28],
    ["é", 28],
    ["€", 29],
    ["😀", 30],
  ])("counts bytes as sent: %s fits into %i, and into no fewer", async (name, bytes) => {
    for (const bytesMax of [bytes, bytes + 1]) {
      expect((await lineOf(name, bytesMax)).candidates).toHaveLength(1);
    }
    const page = await lineOf(name, bytes - 1);
    expect(page.candidates).toEqual([]);
    expect(page.rejects).toMatchObject([{ place: "a.csv:2", code: "too_large", key: "7" }]);
    expect(page.rejects[0]?.reason).toContain(`has ${bytes} bytes`);
    expect(isBalanced(page)).toBe(true);
  });

  it("has no limit unless one is set", async () => {
    expect((await lineOf("x".repeat(2_000_000))).candidates).toHaveLength(1);
  });
});
