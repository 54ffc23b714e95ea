import { expect, it } from "vitest";

import { isProving } from "../support/trials.ts";
import { dieBefore } from "./crash-test.ts";
import { heldRun } from "./drive/sync-lanes.ts";

it("a run that is held sends what was approved, once, wherever it is killed meanwhile", async ({
  annotate,
}) => {
  const { deaths, violations } = await dieBefore(heldRun, isProving ? "each" : "each-kind");
  expect(violations).toEqual([]);
  await annotate(`${deaths.length} effects to die at`);
});
