import { describe, expect, it } from "vitest";

import { writeLines } from "../../../src/pipeline/lines.ts";
import { lineOf, type RecordPage } from "../../../src/pipeline/page.ts";
import { collect, streamOf } from "../../support/sequences.ts";
import { isBalanced, makeReject, mappedPage } from "./support.ts";

/** The page behind `writeLines`, of one account of this name. */
async function written(name: string, bytesMax?: number): Promise<RecordPage> {
  const page = mappedPage([{ account_id: 7, name }]);
  const how = { keyField: "account_id", bytesMax, makeReject };
  const [lines] = await collect(writeLines(streamOf([page]), how));
  if (lines === undefined) throw new Error("no page");
  return lines;
}

describe("writeLines", () => {
  it("writes each record as one line of JSON, with its key as text", async () => {
    const page = await written("two\nlines \u2028");
    const line = '{"account_id":7,"name":"two\\nlines \u2028"}';
    expect(page.candidates.map(({ key }) => key)).toEqual(["7"]);
    expect(page.candidates.map((each) => lineOf(page, each).toString())).toEqual([line]);
    expect(page.jsonl.toString()).toBe(`${line}\n`);
  });

  // {"account_id":7,"name":""} has 26 bytes; é has two, € three, 😀 four.
  it.each([
    ["xx", 28],
    ["é", 28],
    ["€", 29],
    ["😀", 30],
  ])("counts bytes as sent: %s fits into %i, and into no fewer", async (name, bytes) => {
    for (const bytesMax of [bytes, bytes + 1]) {
      expect((await written(name, bytesMax)).candidates).toHaveLength(1);
    }
    const page = await written(name, bytes - 1);
    expect(page.candidates).toEqual([]);
    expect(page.rejects).toMatchObject([{ place: "a.csv:2", code: "too_large", key: "7" }]);
    expect(page.rejects[0]?.reason).toContain(`has ${bytes} bytes`);
    expect(isBalanced(page)).toBe(true);
  });

  it("has no limit unless one is set", async () => {
    expect((await written("x".repeat(2_000_000))).candidates).toHaveLength(1);
  });
});
