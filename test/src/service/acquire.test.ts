import { describe, expect, it } from "vitest";

import type { Gate, Pace } from "../../../src/api/rate-limiter.ts";
import { RateLimitedError } from "../../../src/errors.ts";
import { Secret } from "../../../src/security/secret.ts";
import { createStorePace } from "../../../src/service/rate-limiter.ts";
import { failuresMax } from "../../../src/state/limits.ts";
import { openStoreInline } from "../../support/inline-threads.ts";
import {
  ingestion,
  never,
  pass,
  PaceUnderTest,
  storage,
} from "../../support/rate-limiter-under-test.ts";
import { numbers } from "../../support/sequences.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

async function failTimes(pace: Pace, times: number, gate: Gate = ingestion): Promise<void> {
  for (const _ of numbers(times)) await pace.failed(gate, pass, "503");
}

describe("a failing service", () => {
  it("is probed by one request of all workers, until one succeeds", async () => {
    const under = await PaceUnderTest.open();
    const [one, other] = [under.worker(), under.worker()];
    await failTimes(one, failuresMax);
    expect(await under.entered(other, ingestion)).toMatchObject({
      name: "RateLimitedError",
      isOutage: true,
      message: "the service is failing, probing until 2026-01-01T00:00:01.000Z: 503",
      // Half of the step on top: those who wait do not come back together.
      retryAfterMs: 1_500,
    });
    under.clock.nowMs += 1_000;
    const probe = await other.enter(ingestion, never);
    expect(probe).toEqual({ isProbe: true });
    expect(await under.entered(one, ingestion)).toBeInstanceOf(RateLimitedError);
    expect(await under.entered(one, storage)).toBe("entered");
    await other.succeeded(ingestion, probe);
    expect(await one.enter(ingestion, never)).toEqual({ isProbe: false });
  });

  it("keeps what a storage host does apart from the key", async () => {
    const under = await PaceUnderTest.open();
    const pace = under.worker();
    await failTimes(pace, failuresMax, storage);
    expect(await under.entered(pace, storage)).toBeInstanceOf(RateLimitedError);
    expect(await under.entered(pace, ingestion)).toBe("entered");
  });

  it("hears of successes between failures, also those of another worker", async () => {
    const under = await PaceUnderTest.open();
    const [one, other] = [under.worker(), under.worker()];
    for (const _ of numbers(3)) {
      await failTimes(one, failuresMax - 1);
      await other.succeeded(ingestion, await other.enter(ingestion, never));
    }
    under.clock.nowMs += 1;
    expect(await under.entered(one, ingestion)).toBe("entered");
  });

  it("holds back who waits for a slot while the gate half-closes, and ends a cancelled probe", async () => {
    const under = await PaceUnderTest.open();
    const pace = under.worker({ perSecond: 20 });
    await pace.enter(ingestion, never);
    const waiting = pace.enter(ingestion, never);
    await failTimes(pace, failuresMax);
    await expect(waiting).rejects.toThrow("the service is failing");
    under.clock.nowMs += 1_000;
    // Two slots were taken; the probe would wait for the third, and is cancelled meanwhile.
    await pace.undecided(ingestion, await pace.enter(ingestion, never));
    expect(await under.entered(pace, ingestion)).toMatchObject({ name: "AbortError" });
    expect(await pace.enter(ingestion, never)).toEqual({ isProbe: true });
  });

  it("does not undo a request because the store cannot hear of it", async () => {
    const state = await openStoreInline(await temporaryFolder());
    const settings = { requestsPerSecond: 10, creditsRetryMs: 86_400_000 };
    const pace = createStorePace({ state, apiKey: new Secret("key"), ...settings });
    await state.close();
    await expect(pace.failed(ingestion, pass, "503")).resolves.toBeUndefined();
    await expect(pace.succeeded(ingestion, pass)).resolves.toBeUndefined();
  });
});
