import * as fc from "fast-check";
import { expect, it } from "vitest";

import { eachSeen, seenRows, SeenRowsWriter } from "../../../../src/state/rules/keys/seen-rows.ts";

/** Rows after a round trip through their columns, and the bytes of these. */
function through(rows: readonly (readonly [number, number])[]): {
  readonly rows: (readonly [number, number])[];
  readonly bytes: number;
} {
  const writer = new SeenRowsWriter();
  for (const [id, rowNumber] of rows) writer.add(id, rowNumber);
  const columns = writer.columns();
  const read: (readonly [number, number])[] = [];
  eachSeen(seenRows.parse(columns), (id, rowNumber) => read.push([id, rowNumber]));
  const { ids, rowNumbers, lengths } = columns;
  return { rows: read, bytes: ids.length + rowNumbers.length + (lengths?.length ?? 0) };
}

it("gives back every row that was seen, in order, in no more than eight bytes each", () => {
  const piece = fc.tuple(fc.nat({ max: 20 }), fc.nat({ max: 20 }), fc.integer({ min: 1, max: 5 }));
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const rows = pieces.flatMap(([id, row, length]) =>
        Array.from({ length }, (_, on): [number, number] => [id + on, row + on]),
      );
      const back = through(rows);
      expect(back.rows).toEqual(rows);
      expect(back.bytes).toBeLessThanOrEqual(8 * rows.length);
    }),
  );
});

it("holds rows that come in the order of their ids as one run", () => {
  const rows = Array.from({ length: 4_000 }, (_, index): [number, number] => [7 + index, index]);
  expect(through(rows).bytes).toBe(12);
});
