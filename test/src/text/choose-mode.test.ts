import { describe, expect, it } from "vitest";

import { chooseMode, type BatchFacts } from "../../../src/text/choose-mode.ts";

const batch: BatchFacts = { asked: "auto", partsMax: 3, isWhole: true, records: 10, bodies: 1 };

describe("chooseMode", () => {
  it.each([
    [2, "lightweight"],
    [3, "lightweight"],
    [4, "heavyweight"],
  ])("with %i bodies of the 3 allowed is %s", (bodies, mode) => {
    expect(chooseMode({ ...batch, bodies })?.mode).toBe(mode);
  });

  it("says which numbers decided", () => {
    expect(chooseMode(batch)?.reason).toBe("10 records need 1 body of 1 MB, 3 allowed");
    expect(chooseMode({ ...batch, bodies: 4 })?.reason).toBe(
      "10 records need 4 bodies of 1 MB, more than the 3 allowed",
    );
  });

  it("is heavyweight for a batch that continues after its first chunk", () => {
    expect(chooseMode({ ...batch, isWhole: false })).toEqual({
      mode: "heavyweight",
      reason: "the batch is larger than its first chunk",
    });
    expect(chooseMode({ ...batch, isWhole: false, bodies: 0 })?.mode).toBe("heavyweight");
  });

  it("waits for the first chunk in which something leaves", () => {
    const nothing = { ...batch, isWhole: false, records: 0, bodies: 0 };
    expect(chooseMode(nothing)).toBeUndefined();
    expect(chooseMode({ ...nothing, asked: "lightweight" })?.mode).toBe("lightweight");
  });

  it("is heavyweight for a record that exceeds a body alone", () => {
    expect(chooseMode({ ...batch, bodies: 0 })).toEqual({
      mode: "heavyweight",
      reason: "a record alone exceeds a body of 1 MB",
    });
  });

  it("is lightweight for nothing at all", () => {
    expect(chooseMode({ ...batch, records: 0, bodies: 0 })).toEqual({
      mode: "lightweight",
      reason: "there is nothing to send",
    });
  });

  it.each(["lightweight", "heavyweight"] as const)("is %s when that was asked for", (asked) => {
    for (const change of [{}, { bodies: 4 }, { isWhole: false }, { bodies: 0 }, { records: 0 }]) {
      expect(chooseMode({ ...batch, ...change, asked })).toEqual({
        mode: asked,
        reason: `${asked} was asked for`,
      });
    }
  });
});
