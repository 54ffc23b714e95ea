import { describe, expect, it } from "vitest";

import { isProving } from "../support/trials.ts";
import { dieBefore } from "./crash-test.ts";
import { lightweight } from "./drive/sync-lanes.ts";

// This shows row 44 of the fault table, too: a worker that is killed.
describe("a lightweight run", () => {
  it("loses nothing and repeats no more than it admits, wherever it is killed", async ({
    annotate,
  }) => {
    const { deaths, violations } = await dieBefore(lightweight, isProving ? "each" : "each-kind");
    expect(violations).toEqual([]);
    await annotate(`${deaths.length} effects to die at`);
  });
});
