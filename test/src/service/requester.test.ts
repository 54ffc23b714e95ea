import { describe, expect, it } from "vitest";

import { requestingAs } from "../../../src/service/requester.ts";
import {
  ingestion,
  never,
  RateLimiterUnderTest,
  requester,
  storage,
} from "../../support/rate-limiter-under-test.ts";

describe("requestingAs", () => {
  it("charges the innermost with the requests made and the waits ordered", async () => {
    const under = await RateLimiterUnderTest.open();
    const limiter = under.worker();
    const [one, other] = [requester(), requester()];
    await requestingAs(one, async () => {
      await limiter.acquire(ingestion, never);
      await requestingAs(other, async () => await limiter.acquire(storage, never));
      await limiter.throttled(ingestion, 5_000, "429");
      await under.acquired(limiter, ingestion);
    });
    await limiter.acquire(storage, never);
    expect(one.tally).toEqual({ requests: 1, waitedMs: 10_000 });
    expect(other.tally).toEqual({ requests: 1, waitedMs: 0 });
  });

  it("tells the same token the same time, and gives it that permit", async () => {
    const under = await RateLimiterUnderTest.open();
    const limiter = under.worker({ perSecond: 0.5 });
    const ask = async (token: string): Promise<unknown> =>
      await requestingAs(
        requester({ token }),
        async () => await under.acquired(under.worker({ perSecond: 0.5 }), ingestion),
      );
    expect(await under.acquired(limiter, ingestion)).toBe("acquired");
    expect(await ask("a")).toMatchObject({ retryAfterMs: 2_000 });
    expect(await ask("b")).toMatchObject({ retryAfterMs: 4_000 });
    expect(await ask("a")).toMatchObject({ retryAfterMs: 2_000 });
    under.clock.nowMs += 2_000;
    expect(await ask("b")).toMatchObject({ retryAfterMs: 2_000 });
    expect(await ask("a")).toBe("acquired");
  });

  it.each([
    ["inbox", 4_000],
    ["sync", 6_000],
    ["pull", 6_000],
    ["backfill", 8_000],
    [undefined, 6_000],
  ])("puts a run of kind %s after its own priority and those above", async (kind, retryAfterMs) => {
    const under = await RateLimiterUnderTest.open();
    const limiter = under.worker({ perSecond: 0.5 });
    await under.acquired(limiter, ingestion);
    for (const waiting of ["inbox", "sync", "backfill"]) {
      const asking = requester({ token: waiting, kind: waiting });
      await requestingAs(asking, async () => await under.acquired(limiter, ingestion));
    }
    const asking = requester({ token: "new", kind });
    const told = await requestingAs(asking, async () => await under.acquired(limiter, ingestion));
    expect(told).toMatchObject({ retryAfterMs });
  });
});
