import { describe, expect, it } from "vitest";

import { ApiAuthError, CreditsExhaustedError } from "../../../src/errors.ts";
import { Secret } from "../../../src/security/secret.ts";
import { assertMaySend, keyName, resetLimits } from "../../../src/service/key-limits.ts";
import {
  ingestion,
  legacy,
  RateLimiterUnderTest,
  storage,
} from "../../support/rate-limiter-under-test.ts";

describe("what stops a key", () => {
  it("is exhausted credits, for the family alone and for a day", async () => {
    const under = await RateLimiterUnderTest.open();
    const limiter = under.worker();
    await limiter.creditsExhausted(ingestion, "credits exhausted");
    const stopped = await under.acquired(under.worker(), ingestion);
    expect(stopped).toBeInstanceOf(CreditsExhaustedError);
    expect(stopped).toHaveProperty("hint", expect.stringContaining("rate-limit reset"));
    expect(await under.acquired(limiter, legacy)).toBe("acquired");
    under.clock.nowMs += 86_399_999;
    expect(await under.acquired(limiter, ingestion)).toBeInstanceOf(CreditsExhaustedError);
    under.clock.nowMs += 1;
    expect(await under.acquired(limiter, ingestion)).toBe("acquired");
  });

  it("is a refusal, for every family and until the key changes", async () => {
    const under = await RateLimiterUnderTest.open();
    await under.worker().keyRefused("401");
    under.clock.nowMs += 10 * 365 * 86_400_000;
    for (const scope of [ingestion, legacy]) {
      const stopped = await under.acquired(under.worker(), scope);
      expect(stopped).toBeInstanceOf(ApiAuthError);
      expect(stopped).toHaveProperty("message", expect.stringContaining("401"));
    }
    expect(await under.acquired(under.worker({ key: "a new one" }), ingestion)).toBe("acquired");
    expect(await under.acquired(under.worker(), storage)).toBe("acquired");
  });

  it("is reset by hand", async () => {
    const under = await RateLimiterUnderTest.open();
    const limiter = under.worker();
    await limiter.keyRefused("401");
    await limiter.creditsExhausted(ingestion, "none");
    const prefix = `api:${keyName(new Secret("key"))}`;
    expect(await resetLimits(under.state, prefix, under.clock.moment())).toBe(2);
    expect(await under.acquired(limiter, ingestion)).toBe("acquired");
  });
});

describe("assertMaySend", () => {
  const key = new Secret("key");

  it("refuses a run whose key was refused or whose credits are used up, and no other", async () => {
    const under = await RateLimiterUnderTest.open();
    const assert = async (): Promise<void> =>
      await assertMaySend(under.state, key, under.clock.moment());
    await under.worker({ key: "another" }).keyRefused("401");
    await under.worker().throttled(ingestion, 60_000, "429");
    await expect(assert()).resolves.toBeUndefined();
    await under.worker().creditsExhausted(ingestion, "none");
    await expect(assert()).rejects.toBeInstanceOf(CreditsExhaustedError);
    // Setting the wall clock neither brings credits nor takes them away.
    under.clock.stepWall(2 * 86_400_000);
    await expect(assert()).rejects.toBeInstanceOf(CreditsExhaustedError);
    under.clock.stepWall(-4 * 86_400_000);
    under.clock.nowMs += 86_400_000;
    await expect(assert()).resolves.toBeUndefined();
    await under.worker().keyRefused("401");
    await expect(assert()).rejects.toBeInstanceOf(ApiAuthError);
  });
});

describe("keyName", () => {
  it("tells keys apart and does not hold them", () => {
    const name = keyName(new Secret("canary-key"));
    expect(name).toMatch(/^[0-9a-f]{8}$/);
    expect(keyName(new Secret("canary-key"))).toBe(name);
    expect(keyName(new Secret("another"))).not.toBe(name);
  });
});
