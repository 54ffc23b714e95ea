import { expect, it } from "vitest";

import { dieEverywhere } from "./crash-test.ts";
import { heldRun } from "./drive/sync-lanes.ts";

it("a run that is held sends what was approved, once, wherever it is killed meanwhile", async ({
  annotate,
}) => {
  const { deaths, violations } = await dieEverywhere(heldRun);
  expect(violations).toEqual([]);
  await annotate(`${deaths.length} effects to die at`);
});
