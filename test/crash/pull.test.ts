import { describe, expect, it } from "vitest";

import { isProving } from "../support/trials.ts";
import { dieBefore } from "./crash-test.ts";
import { pulls } from "./drive/pull-lanes.ts";

// This shows row 44 of the fault table, too: a worker that is killed.
describe.each(Object.entries(pulls))("a pull of %s", (_, test) => {
  it("loses nothing, writes nothing twice and pays no kept page again, wherever it is killed", async ({
    annotate,
  }) => {
    const { deaths, violations } = await dieBefore(test, isProving ? "each" : "each-kind");
    expect(violations).toEqual([]);
    await annotate(`${deaths.length} effects to die at`);
  });
});
