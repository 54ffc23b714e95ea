import { describe, expect, it } from "vitest";

import { runEffect } from "../../src/effect.ts";

describe("runEffect", () => {
  it("runs the work once and gives back what it gives", async () => {
    let runs = 0;
    const answer = await runEffect("count", async () => {
      runs += 1;
      return runs;
    });
    expect(answer).toBe(1);
    expect(runs).toBe(1);
  });

  it("throws what the work throws", async () => {
    const failing = runEffect("fail", async () => await Promise.reject(new RangeError("too far")));
    await expect(failing).rejects.toThrow(RangeError);
  });
});
