import { describe, expect, it } from "vitest";

import { CreditsExhaustedError, RateLimitedError } from "../../../src/errors.ts";
import { backoffMaxMs, creditsSuspectedMs } from "../../../src/service/limits.ts";
import { requestingAs } from "../../../src/service/requester.ts";
import {
  ingestion,
  legacy,
  never,
  permit,
  RateLimiterUnderTest,
  requester,
  storage,
} from "../../support/rate-limiter-under-test.ts";
import { numbers } from "../../support/sequences.ts";

describe("the rate", () => {
  it("lets a request out every 100 ms at 10 a second, whichever worker asks", async () => {
    const under = await RateLimiterUnderTest.open();
    const workers = [under.worker({ perSecond: 10 }), under.worker({ perSecond: 10 })];
    // Nobody really waits here: a wait ends at once, and its permit is used up.
    const waits: number[] = [];
    for (const n of numbers(12)) {
      const asking = requester();
      await requestingAs(asking, async () => await under.acquired(workers[n % 2], ingestion));
      waits.push(asking.tally.waitedMs);
    }
    expect(waits).toEqual(numbers(12).map((n) => n * 100));
    // The last one would have slept for longer than an activity may, and took no permit.
    expect(await under.acquired(workers[0], ingestion)).toMatchObject({
      name: "RateLimitedError",
      retryAfterMs: 1_100,
    });
  });

  it("has no rate for a storage host, whose address was paid for", async () => {
    const under = await RateLimiterUnderTest.open();
    const limiter = under.worker({ perSecond: 0.001 });
    for (const _ of numbers(3)) expect(await under.acquired(limiter, storage)).toBe("acquired");
  });

  it("sleeps a short wait, and wakes with the reason when it is cancelled", async () => {
    const under = await RateLimiterUnderTest.open();
    const limiter = under.worker({ perSecond: 2 });
    await limiter.acquire(ingestion, never);
    const cancel = new AbortController();
    const acquiring = limiter.acquire(ingestion, cancel.signal);
    const reason = new Error("cancelled");
    cancel.abort(reason);
    await expect(acquiring).rejects.toMatchObject({ name: "AbortError", cause: reason });
  });

  it("holds a request back whose limit was blocked while it waited for its permit", async () => {
    const under = await RateLimiterUnderTest.open();
    const limiter = under.worker({ perSecond: 20 });
    await limiter.acquire(ingestion, never);
    const waiting = limiter.acquire(ingestion, never);
    await limiter.throttled(ingestion, 60_000, "429");
    await expect(waiting).rejects.toBeInstanceOf(RateLimitedError);
  });
});

describe("a block", () => {
  it("keeps every worker out to the millisecond after a hint, and lets them in then", async () => {
    const under = await RateLimiterUnderTest.open();
    const [one, other] = [under.worker(), under.worker()];
    expect(await one.throttled(ingestion, 120_000, "429")).toBe(120_000);
    for (const scope of [ingestion, legacy]) {
      expect(await under.acquired(other, scope)).toMatchObject({ retryAfterMs: 120_000 });
    }
    under.clock.nowMs += 119_999;
    expect(await under.acquired(other, ingestion)).toMatchObject({
      name: "RateLimitedError",
      retryAfterMs: 1,
      message: "rate limited until 2026-01-01T00:02:00.000Z: 429",
    });
    under.clock.nowMs += 1;
    expect(await under.acquired(other, ingestion)).toBe("acquired");
  });

  it("lasts at least a second, and only ever lengthened", async () => {
    const under = await RateLimiterUnderTest.open();
    const limiter = under.worker();
    expect(await limiter.throttled(ingestion, 0, "429")).toBe(1_000);
    await limiter.throttled(ingestion, 5_000, "429");
    await limiter.throttled(ingestion, 2_000, "429");
    expect(await under.acquired(limiter, ingestion)).toMatchObject({ retryAfterMs: 5_000 });
  });

  it("belongs to one key, or to one storage host", async () => {
    const under = await RateLimiterUnderTest.open();
    const limiter = under.worker();
    await limiter.throttled(ingestion, 60_000, "429");
    expect(await under.acquired(under.worker({ key: "another" }), ingestion)).toBe("acquired");
    expect(await under.acquired(limiter, storage)).toBe("acquired");
    await limiter.throttled(storage, 60_000, "SlowDown");
    expect(await under.acquired(under.worker({ key: "another" }), storage)).toBeInstanceOf(
      RateLimitedError,
    );
    expect(await under.acquired(limiter, { kind: "storage", host: "other.example" })).toBe(
      "acquired",
    );
  });
});

describe("the back-off without a hint", () => {
  it("draws from 0 to 2, 4, 8, … 60 s, and never less than a second", async () => {
    const under = await RateLimiterUnderTest.open();
    const limiter = under.worker();
    under.drawn = 1;
    const waits: number[] = [];
    for (const _ of numbers(7)) waits.push(await limiter.throttled(ingestion, undefined, "429"));
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, backoffMaxMs, backoffMaxMs]);
    under.drawn = 0.25;
    expect(await limiter.throttled(ingestion, undefined, "429")).toBe(backoffMaxMs / 4);
    under.drawn = 0;
    expect(await limiter.throttled(ingestion, undefined, "429")).toBe(1_000);
  });

  it("begins anew after a success under the same limit, and no other", async () => {
    const under = await RateLimiterUnderTest.open();
    const limiter = under.worker();
    under.drawn = 1;
    await limiter.throttled(ingestion, undefined, "429");
    await limiter.ended(permit(storage), "succeeded");
    expect(await under.worker().throttled(ingestion, undefined, "429")).toBe(4_000);
    await limiter.ended(permit(ingestion), "succeeded");
    expect(await limiter.throttled(ingestion, undefined, "429")).toBe(2_000);
  });

  it("does not grow by answers that said when", async () => {
    const under = await RateLimiterUnderTest.open();
    const limiter = under.worker();
    under.drawn = 1;
    for (const _ of numbers(5)) await limiter.throttled(ingestion, 1_000, "429");
    expect(await limiter.throttled(ingestion, undefined, "429")).toBe(2_000);
  });
});

describe("refusals without a hint", () => {
  it.each([
    [creditsSuspectedMs - 1, false],
    [creditsSuspectedMs, true],
    [creditsSuspectedMs + 1, true],
  ])("for %i ms without one success are taken for used-up credits: %s", async (ms, areCredits) => {
    const under = await RateLimiterUnderTest.open();
    const slowDown = async (): Promise<unknown> =>
      await under
        .worker()
        .throttled(ingestion, undefined, "429")
        .catch((error: unknown) => error);
    const endMs = under.clock.nowMs + ms;
    await slowDown();
    while (under.clock.nowMs + 2 * 60_000 < endMs) {
      under.clock.nowMs += 60_000;
      expect(await slowDown()).toBeTypeOf("number");
    }
    under.clock.nowMs = endMs;
    const last = await slowDown();
    expect(last instanceof CreditsExhaustedError).toBe(areCredits);
    under.clock.nowMs += backoffMaxMs;
    const acquired = await under.acquired(under.worker(), ingestion);
    expect(acquired instanceof CreditsExhaustedError).toBe(areCredits);
  });

  it("of a storage host are never about credits", async () => {
    const under = await RateLimiterUnderTest.open();
    for (const _ of numbers(62)) {
      expect(await under.worker().throttled(storage, undefined, "503")).toBeTypeOf("number");
      under.clock.nowMs += 60_000;
    }
  });
});
