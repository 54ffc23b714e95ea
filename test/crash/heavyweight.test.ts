import { describe, expect, it } from "vitest";

import { CrashLane } from "./crash-points.ts";
import { crashAtDroppedRequests, crashEverywhere } from "./crash-test.ts";

const chunks = 3;
const timeoutMs = 1_800_000;

/** A run of three chunks, of which two are staged at once. */
async function openLane(): Promise<CrashLane> {
  return await CrashLane.open("heavyweight", { files: chunks, rowsPerFile: 16 });
}

// This shows row 44 of the fault table, too: a worker that is killed.
describe("a heavyweight run", () => {
  it(
    "loses and repeats nothing that it does not admit, wherever it is killed",
    async ({ annotate }) => {
      const results = await crashEverywhere(await openLane());
      await annotate(`${results.length - 1} effects to die at`);
      const momentsOf = (moment: "afterAppliedConfirm" | "duringPut"): number =>
        results.filter(({ numbers }) => numbers[moment] > 0).length;
      expect(momentsOf("duringPut")).toBeGreaterThanOrEqual(chunks);
      expect(momentsOf("afterAppliedConfirm")).toBeGreaterThanOrEqual(chunks);
      // One key is processed once, so that a confirm which is repeated repeats no record.
      expect(results.filter(({ numbers }) => numbers.repeated > 0)).toEqual([]);
    },
    timeoutMs,
  );

  it(
    "loses and repeats nothing when it is killed at a request that arrived and was not applied",
    async () => {
      const results = await crashAtDroppedRequests(await openLane());
      expect(results.length).toBe(3 * chunks);
      expect(results.filter(({ numbers }) => numbers.repeated > 0)).toEqual([]);
    },
    timeoutMs,
  );
});
