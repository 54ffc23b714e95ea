import { describe, expect, it } from "vitest";

import { dieEverywhere } from "./crash-test.ts";
import { ofFiles, ofTable } from "./drive/backfill-lanes.ts";

describe("a backfill", () => {
  it("loses and repeats nothing that it does not admit, wherever it is killed", async ({
    annotate,
  }) => {
    const { deaths, violations } = await dieEverywhere(ofFiles);
    expect(violations).toEqual([]);
    await annotate(`${deaths.length} effects to die at`);
  });

  it("hands the checkpoint over once, wherever it is killed", async () => {
    const { violations } = await dieEverywhere(ofTable);
    expect(violations).toEqual([]);
  });
});
