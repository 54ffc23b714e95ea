import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { Candidates } from "../../../../src/pipeline/candidates/candidates.ts";
import { recordOf } from "../../../../src/pipeline/page.ts";
import { trials } from "../../../support/trials.ts";

/** A record: its key, whether its row was an object, and in which of two rounds it is kept. */
const record = fc.record({
  key: fc.stringMatching(/^[a-z]{1,5}$/),
  isObject: fc.boolean(),
  kept: fc.tuple(fc.boolean(), fc.boolean()),
});

/** The index of a row: some rows became no record. */
function rowOf(at: number): number {
  return 2 * at + Number(at % 3 === 0);
}

describe("the records of a page", () => {
  it("are those that were added, less what was not to be kept, whether their rows were objects or not", () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 12 }), (records) => {
        const before = '{"account_id":"';
        const lines = records.map(({ key }) => `${before}${key}"}`);
        const jsonl = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        const candidates = new Candidates(records.length, jsonl);
        let start = 0;
        for (const [at, { key, isObject }] of records.entries()) {
          const index = rowOf(at);
          const end = start + before.length + key.length + 2;
          const place = { index, start, end, keyFrom: -1, keyTo: -1 };
          if (isObject) candidates.add(place, { key });
          else {
            candidates.addPlaces(Int32Array.of(index, start, end, start + before.length, end - 2));
          }
          start = end + 1;
        }
        let left = records.map((each, at) => ({ ...each, index: rowOf(at) }));
        for (const round of [0, 1] as const) {
          const [asked, isKept]: [number[], boolean[]] = [[], left.map(({ kept }) => kept[round])];
          candidates.keep((position) => {
            asked.push(candidates.rowOf(position));
            return isKept[position] === true;
          });
          expect(asked).toEqual(left.map(({ index }) => index));
          left = left.filter(({ kept }) => kept[round]);
        }
        const shown = candidates.map((each) => {
          expect(recordOf({ candidates }, each)).toEqual({ account_id: each.key });
          return [each.key, each.index];
        });
        expect(shown).toEqual(left.map(({ key, index }) => [key, index]));
        expect(candidates).toHaveLength(left.length);
      }),
      { numRuns: trials(300) },
    );
  });
});
