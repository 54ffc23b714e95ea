import { describe, expect, it } from "vitest";

import { nextLook, backOffAfter, type RunEnd } from "../../workflows/backoff.ts";
import {
  drainBusyBackoffMs,
  drainBackoffMs,
  drainBackoffMsMax,
  resendLookMs,
  resendPauseMsMax,
} from "../../workflows/limits.ts";

const failed: RunEnd = { outcome: "failed", error: { code: "ConfigError", message: "gone" } };

describe("backOffAfter", () => {
  it.each(["done", "done_with_rejects"] as const)(
    "lets no sync rest whose run is %s",
    (outcome) => {
      const before = { until: 7, failures: 3, why: "gone" };
      expect(backOffAfter({ outcome, read: 1 }, before, 0)).toBeUndefined();
    },
  );

  it("doubles the backoff with each failure up to the longest, and says why", () => {
    let backoff = backOffAfter(failed, undefined, 1_000);
    expect(backoff).toEqual({ until: 1_000 + drainBackoffMs, failures: 1, why: "gone" });
    const lengths: number[] = [];
    for (let failures = 1; failures < 6; failures++) {
      backoff = backOffAfter(failed, backoff, 0);
      lengths.push((backoff?.until ?? 0) / drainBackoffMs);
    }
    expect(lengths).toEqual([2, 4, 8, 15, 15]);
    expect(backoff?.until).toBe(drainBackoffMsMax);
  });

  it.each(["cancelled", "credits_exhausted", "abandoned"] as const)(
    "takes %s for a failure",
    (outcome) => {
      expect(backOffAfter({ outcome }, undefined, 0)).toMatchObject({
        until: drainBackoffMs,
        failures: 1,
      });
    },
  );

  it("waits a moment for a sync that another run sends, and for one whose events were gone", () => {
    const before = { until: 7, failures: 3, why: "gone" };
    const moment = { until: drainBusyBackoffMs, failures: 3 };
    expect(backOffAfter({ outcome: "busy" }, before, 0)).toMatchObject(moment);
    expect(backOffAfter({ outcome: "done", read: 0 }, before, 0)).toMatchObject(moment);
  });

  it.each([
    [499, 499],
    [500, 500],
    [501, 500],
  ])("keeps of a reason of %i characters %i", (length, kept) => {
    const error = { code: "ConfigError", message: "x".repeat(length) };
    expect(backOffAfter({ outcome: "failed", error }, undefined, 0)?.why).toHaveLength(kept);
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

  it("continues at once where a run has helped, and waits longer and longer where none does", () => {
    expect(nextLook({ due: 5 }, { due: 2 }, 3)).toEqual({ failures: 0, pauseMs: 1_000 });
    expect(nextLook({ due: 5 }, { due: 5 }, 0)).toEqual({ failures: 1, pauseMs: resendLookMs });
    expect(nextLook({ due: 5 }, { due: 6 }, 99).pauseMs).toBe(resendPauseMsMax);
  });
});
