import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { Candidates } from "../../../../src/pipeline/candidates/candidates.ts";
import { KeyList, keysOf } from "../../../../src/pipeline/candidates/keys.ts";
import type { RecordPage } from "../../../../src/pipeline/page.ts";
import { linePage, textsOf } from "../support.ts";

/** A key, and whether its row was an object. */
const record = fc.tuple(
  fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1 }),
    fc.constantFrom("k1", "käse", 'k"3', "back\\slash", "\u0001\u001f", "two\nlines", "\u2028😀"),
  ),
  fc.boolean(),
);

/** A page whose records are plain unless marked as objects. */
function pageOf(records: readonly (readonly [key: string, isObject: boolean])[]): RecordPage {
  const before = '{"account_id":';
  const page = linePage(records.map(([key]) => [key, `${before}${JSON.stringify(key)}}`]));
  const candidates = new Candidates(records.length, page.candidates.jsonl);
  for (const [at, candidate] of [...page.candidates].entries()) {
    const { index, start, end } = candidate;
    if (records[at]?.[1] === true) candidates.add(candidate, candidate);
    else candidates.addPlaces(Int32Array.of(index, start, end, start + before.length + 1, end - 2));
  }
  return { ...page, candidates };
}

describe("the keys of records", () => {
  it("are the same as text, in a block and in a JSON array, whether their rows were objects or not", () => {
    fc.assert(
      fc.property(fc.array(fc.array(record, { maxLength: 20 }), { maxLength: 4 }), (pages) => {
        const made = pages.map(pageOf);
        const keys = pages.flatMap((records) => records.map(([key]) => key));
        expect(made.flatMap(({ candidates }) => candidates.map(({ key }) => key))).toEqual(keys);
        expect(textsOf(keysOf(made))).toEqual(keys);
        const list = new KeyList();
        for (const page of made) list.add(page.candidates);
        expect(list.json()).toBe(JSON.stringify(keys));
      }),
      { numRuns: 300 },
    );
  });

  it("are as many as a chunk has", () => {
    const keys = Array.from({ length: 9_000 }, (_, index) => `${index} `.repeat(index % 60) + "€");
    const page = pageOf(keys.map((key, index) => [key, index % 3 === 0]));
    const list = new KeyList();
    list.add(page.candidates);
    expect(list.json()).toBe(JSON.stringify(keys));
  });
});
