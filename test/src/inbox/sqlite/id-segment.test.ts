import { hash } from "node:crypto";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { idHashBytes } from "../../../../src/inbox/limits.ts";
import { IdSegment, type NamedBody } from "../../../../src/inbox/sqlite/id-segment.ts";
import { numbers } from "../../../support/sequences.ts";

function hashOf(text: string): Buffer {
  return hash("sha256", text, "buffer").subarray(0, idHashBytes);
}

/** A body under an id, with a time that only a double holds. */
function named(connection: number, id: string, body: string): NamedBody {
  return { connection, id: hashOf(id), body: hashOf(body), receivedAt: 1_767_571_200_123 };
}

function segmentOf(all: readonly NamedBody[]): IdSegment {
  const segment = new IdSegment();
  for (const each of all) segment.add(each);
  return segment;
}

/** Few of each, so that ids recur with other bodies and in other connections. */
const someBodies = fc.array(
  fc
    .tuple(fc.constantFrom(1, 2, 8_191), fc.nat(40), fc.nat(3))
    .map(([connection, id, body]) => named(connection, `${id}`, `${body}`)),
  { maxLength: 200 },
);

describe("id segment", () => {
  it("answers the first body of an id of a connection, as it was added", () => {
    fc.assert(
      fc.property(someBodies, (all) => {
        const segment = segmentOf(all);
        expect(segment.size).toBe(all.length);
        for (const { connection, id } of [...all, named(3, "1", "1")]) {
          const own = all.find((each) => each.connection === connection && each.id.equals(id));
          expect(segment.find({ connection, id }, 0)).toEqual(own);
        }
      }),
    );
  });

  it("answers none that came before a time", () => {
    const [early, late] = [1_000, 2_000].map((receivedAt) => {
      return { ...named(1, "a", `${receivedAt}`), receivedAt };
    });
    const segment = segmentOf([early, late].flatMap((each) => each ?? []));
    const found = [0, 1_000, 1_001, 2_000, 2_001].map((from) =>
      segment.find(named(1, "a", ""), from),
    );
    expect(found).toEqual([early, early, late, late, undefined]);
  });

  it("is the same once its bytes were stored and read, from wherever", () => {
    fc.assert(
      fc.property(someBodies, fc.nat(200), (all, at) => {
        const cut = Math.min(at, all.length);
        const whole = segmentOf(all);
        const read = segmentOf(all.slice(0, cut));
        read.addBytes(Buffer.from(whole.bytesFrom(cut)));
        expect(numbers(read.size).map((record) => read.at(record))).toEqual(all);
        expect(read.bytesFrom(0)).toEqual(whole.bytesFrom(0));
      }),
    );
  });

  it("finds every id of thousands, and puts them in the order of their hashes", () => {
    const all = numbers(5_000).map((id) => named(1, `${id}`, "body"));
    const segment = segmentOf(all);
    expect(all.filter((each) => segment.find(each, 0) === undefined)).toEqual([]);
    const inOrder = Array.from(segment.inOrder(), (record) => segment.at(record).id);
    expect(inOrder).toEqual(all.map(({ id }) => id).toSorted((a, b) => a.compare(b)));
  });
});
