import { describe, expect, it } from "vitest";

import type { RateLimiter, Scope } from "../../../src/api/rate-limiter.ts";
import { RateLimitedError } from "../../../src/errors.ts";
import { Secret } from "../../../src/security/secret.ts";
import { StoreRateLimiter } from "../../../src/service/rate-limiter.ts";
import { failuresMax } from "../../../src/state/limits.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import { openStoreInline } from "../../support/project/inline-threads.ts";
import {
  ingestion,
  never,
  permit,
  RateLimiterUnderTest,
  storage,
} from "../../support/rate-limiter-under-test.ts";
import { numbers } from "../../support/sequences.ts";

async function failTimes(
  limiter: RateLimiter,
  times: number,
  scope: Scope = ingestion,
): Promise<void> {
  for (const _ of numbers(times)) await limiter.ended(permit(scope), "failed", "503");
}

describe("a failing service", () => {
  it("is probed by one request of all workers, until one succeeds", async () => {
    const under = await RateLimiterUnderTest.open();
    const [one, other] = [under.worker(), under.worker()];
    await failTimes(one, failuresMax);
    expect(await under.acquired(other, ingestion)).toMatchObject({
      name: "RateLimitedError",
      isOutage: true,
      message: "the service is failing, next probe at 2026-01-01T00:00:01.000Z: 503",
      // Half of the step is added: waiting callers do not come back together.
      retryAfterMs: 1_500,
    });
    under.clock.nowMs += 1_000;
    const probe = await other.acquire(ingestion, never);
    expect(probe).toEqual({ scope: ingestion, isProbe: true });
    expect(await under.acquired(one, ingestion)).toBeInstanceOf(RateLimitedError);
    expect(await under.acquired(one, storage)).toBe("acquired");
    await other.ended(probe, "succeeded");
    expect(await one.acquire(ingestion, never)).toEqual({ scope: ingestion, isProbe: false });
  });

  it("keeps what a storage host does apart from the key", async () => {
    const under = await RateLimiterUnderTest.open();
    const limiter = under.worker();
    await failTimes(limiter, failuresMax, storage);
    expect(await under.acquired(limiter, storage)).toBeInstanceOf(RateLimitedError);
    expect(await under.acquired(limiter, ingestion)).toBe("acquired");
  });

  it("hears of successes between failures, also those of another worker", async () => {
    const under = await RateLimiterUnderTest.open();
    const [one, other] = [under.worker(), under.worker()];
    for (const _ of numbers(3)) {
      await failTimes(one, failuresMax - 1);
      await other.ended(await other.acquire(ingestion, never), "succeeded");
    }
    under.clock.nowMs += 1;
    expect(await under.acquired(one, ingestion)).toBe("acquired");
  });

  it("holds back who waits for a permit while the breaker opens, and ends a cancelled probe", async () => {
    const under = await RateLimiterUnderTest.open();
    const limiter = under.worker({ perSecond: 20 });
    await limiter.acquire(ingestion, never);
    const waiting = limiter.acquire(ingestion, never);
    await failTimes(limiter, failuresMax);
    await expect(waiting).rejects.toThrow("the service is failing");
    under.clock.nowMs += 1_000;
    // Two permits were taken; the probe would wait for the third, and is cancelled while it waits.
    await limiter.ended(await limiter.acquire(ingestion, never), "undecided");
    expect(await under.acquired(limiter, ingestion)).toMatchObject({ name: "AbortError" });
    expect(await limiter.acquire(ingestion, never)).toEqual({ scope: ingestion, isProbe: true });
  });

  it("does not undo a request because the store cannot hear of it", async () => {
    const state = await openStoreInline(await temporaryFolder());
    const settings = { requestsPerSecond: 10, creditsRetryAfterMs: 86_400_000 };
    const limiter = new StoreRateLimiter({ state, apiKey: new Secret("key"), ...settings });
    await state.close();
    await expect(limiter.ended(permit(ingestion), "failed", "503")).resolves.toBeUndefined();
    await expect(limiter.ended(permit(ingestion), "succeeded")).resolves.toBeUndefined();
  });
});
