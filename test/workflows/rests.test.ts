import { describe, expect, it } from "vitest";

import {
  drainBusyRestMs,
  drainRestMs,
  drainRestMsMax,
  resendLookMs,
  resendPauseMsMax,
} from "../../src/limits.ts";
import { nextLook, restAfter, type RunEnd } from "../../workflows/rests.ts";

const failed: RunEnd = { outcome: "failed", error: { code: "ConfigError", message: "gone" } };

describe("restAfter", () => {
  it.each(["done", "done_with_rejects"] as const)(
    "lets no sync rest whose run is %s",
    (outcome) => {
      const before = { until: 7, failures: 3, why: "gone" };
      expect(restAfter({ outcome, read: 1 }, before, 0)).toBeUndefined();
    },
  );

  it("doubles the rest with each failure up to the longest, and says why", () => {
    let rest = restAfter(failed, undefined, 1_000);
    expect(rest).toEqual({ until: 1_000 + drainRestMs, failures: 1, why: "gone" });
    const lengths: number[] = [];
    for (let failures = 1; failures < 6; failures++) {
      rest = restAfter(failed, rest, 0);
      lengths.push((rest?.until ?? 0) / drainRestMs);
    }
    expect(lengths).toEqual([2, 4, 8, 15, 15]);
    expect(rest?.until).toBe(drainRestMsMax);
  });

  it.each(["cancelled", "credits_exhausted", "abandoned"] as const)(
    "takes %s for a failure",
    (outcome) => {
      expect(restAfter({ outcome }, undefined, 0)).toMatchObject({
        until: drainRestMs,
        failures: 1,
      });
    },
  );

  it("waits a moment for a sync that another run sends, and for one whose events were gone", () => {
    const before = { until: 7, failures: 3, why: "gone" };
    const moment = { until: drainBusyRestMs, failures: 3 };
    expect(restAfter({ outcome: "busy" }, before, 0)).toMatchObject(moment);
    expect(restAfter({ outcome: "done", read: 0 }, before, 0)).toMatchObject(moment);
  });

  it.each([
    [499, 499],
    [500, 500],
    [501, 500],
  ])("keeps of a reason of %i characters %i", (length, kept) => {
    const error = { code: "ConfigError", message: "x".repeat(length) };
    expect(restAfter({ outcome: "failed", error }, undefined, 0)?.why).toHaveLength(kept);
  });
});

describe("nextLook", () => {
  it("waits for what is not due, as long as is known", () => {
    expect(nextLook({ due: 0 }, { due: 0, waitMs: 70_000 }, 3)).toEqual({
      failures: 0,
      pauseMs: 70_000,
    });
    expect(nextLook({ due: 5 }, { due: 0 }, 0).pauseMs).toBe(resendLookMs);
  });

  it("goes on at once where a run has helped, and waits longer and longer where none does", () => {
    expect(nextLook({ due: 5 }, { due: 2 }, 3)).toEqual({ failures: 0, pauseMs: 1_000 });
    expect(nextLook({ due: 5 }, { due: 5 }, 0)).toEqual({ failures: 1, pauseMs: resendLookMs });
    expect(nextLook({ due: 5 }, { due: 6 }, 99).pauseMs).toBe(resendPauseMsMax);
  });
});
