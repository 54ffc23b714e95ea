import { expect, it } from "vitest";

import { hashesOfLines, hashesOfRows, hashOf } from "../../../src/pipeline/line-hashes.ts";
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
