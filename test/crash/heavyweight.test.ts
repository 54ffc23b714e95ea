import { describe, expect, it } from "vitest";

import { dieAtDrops, dieEverywhere } from "./crash-test.ts";
import { heavyweight } from "./drive/sync-lanes.ts";

// This shows row 44 of the fault table, too: a worker that is killed.
describe("a heavyweight run", () => {
  it("loses and repeats nothing that it does not admit, wherever it is killed", async ({
    annotate,
  }) => {
    const { deaths, violations } = await dieEverywhere(heavyweight);
    expect(violations).toEqual([]);
    await annotate(`${deaths.length} effects to die at`);
  });

  it("loses and repeats nothing when it is killed at a request that arrived and was not applied", async () => {
    const { deaths, violations } = await dieAtDrops(heavyweight);
    expect(violations).toEqual([]);
    expect(deaths).toHaveLength(heavyweight.requests);
  });
});
