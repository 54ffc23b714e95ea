import { describe, expect, it } from "vitest";

import { CrashLane } from "./crash-points.ts";
import { crashAtDroppedRequests, crashEverywhere } from "./crash-test.ts";

const chunks = 2;
const partsPerChunk = 2;
const timeoutMs = 1_800_000;

/** A run of two chunks, the records of each too large for one body. */
async function openLane(): Promise<CrashLane> {
  return await CrashLane.open("lightweight", {
    files: chunks,
    rowsPerFile: 24,
    nameChars: 150_000,
  });
}

// This shows row 44 of the fault table, too: a worker that is killed.
describe("a lightweight run", () => {
  it(
    "loses nothing and repeats no more than it admits, wherever it is killed",
    async ({ annotate }) => {
      const results = await crashEverywhere(await openLane());
      await annotate(`${results.length - 1} effects to die at`);
      // A body that was applied before the kill is sent again: that is all that is ever repeated.
      const repeating = results.filter(({ numbers }) => numbers.repeated > 0);
      expect(repeating.map(({ effects }) => effects.at(-1))).toEqual(
        Array.from({ length: chunks * partsPerChunk }, () => "movePart"),
      );
    },
    timeoutMs,
  );

  it(
    "loses and repeats nothing when it is killed at a request that arrived and was not applied",
    async () => {
      const results = await crashAtDroppedRequests(await openLane());
      expect(results.length).toBe(chunks * partsPerChunk);
      expect(results.filter(({ numbers }) => numbers.repeated > 0)).toEqual([]);
    },
    timeoutMs,
  );
});
