import { describe, expect, it } from "vitest";

import { isProving } from "../support/trials.ts";
import { dieBefore } from "./crash-test.ts";
import { heavyweight } from "./drive/sync-lanes.ts";

// This shows row 44 of the fault table, too: a worker that is killed.
describe("a heavyweight run", () => {
  it("loses and repeats nothing that it does not admit, wherever it is killed", async ({
    annotate,
  }) => {
    const { deaths, violations } = await dieBefore(heavyweight, isProving ? "each" : "each-kind");
    expect(violations).toEqual([]);
    await annotate(`${deaths.length} effects to die at`);
  });
});
