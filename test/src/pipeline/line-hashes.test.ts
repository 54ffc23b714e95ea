import { describe, expect, it } from "vitest";

import { ConfigError } from "../../../src/errors.ts";
import { hashesOfLines, hashesOfRows, hashOf } from "../../../src/pipeline/line-hashes.ts";
import type { Row } from "../../../src/records/streams.ts";
import { hashBytes } from "../../../src/state/contract/keys/fingerprints.ts";
import { numbers } from "../../support/sequences.ts";
import { linePage } from "./support.ts";

const lines = numbers(4_096).map((row) => `"line ${row}"`);

const ways = {
  "a line": () => Buffer.concat(lines.map((line) => hashOf(Buffer.from(line)))),
  "lines of pages": () => hashesOfLines([linePage(lines.map((line) => [line, line]))]),
  "lines and their rows": () => hashesOfRows([linePage(lines.map((line) => [line, "same"]))]),
};

/** How many different values each byte of the hashes takes. */
function valuesOf(hashes: Uint8Array): number[] {
  return Array.from(
    { length: hashBytes },
    (_, at) => new Set(hashes.filter((__, index) => index % hashBytes === at)).size,
  );
}

// A hash with a constant part would sometimes call a changed row unchanged.
it.each(Object.entries(ways))("every bit of the hash of %s tells it from others", (_, hashes) => {
  const all = hashes();
  expect(all).toHaveLength(lines.length * hashBytes);
  expect(valuesOf(all)).toEqual(Array<number>(hashBytes).fill(256));
});

function hashOfRow(row: Row): Uint8Array {
  const page = linePage([["1", "{}"]]);
  return hashesOfRows([{ ...page, source: { ...page.source, rows: [row] } }]);
}

describe("the hash of a line and its row", () => {
  it("tells rows apart by an integer beyond 2^53", () => {
    const [one, next] = [9_007_199_254_740_993n, 9_007_199_254_740_994n];
    expect(hashOfRow({ n: one })).toEqual(hashOfRow({ n: one }));
    expect(hashOfRow({ n: one })).not.toEqual(hashOfRow({ n: next }));
  });

  it("is refused for a row that JSON cannot show, and says what to do", () => {
    const row: Record<string, unknown> = { id: "canary" };
    row["parent"] = row;
    expect(() => hashOfRow(row)).toThrow(ConfigError);
    expect(() => hashOfRow(row)).toThrow(/^JSON cannot show a row, so that it would not be known/);
  });
});
