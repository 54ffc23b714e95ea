import { describe, expect, it } from "vitest";

import { CreditsExhaustedError, RateLimitedError } from "../../../src/errors.ts";
import { backoffMaxMs, creditsSuspectedMs } from "../../../src/limits.ts";
import { requestingAs } from "../../../src/service/requester.ts";
import {
  ingestion,
  legacy,
  never,
  pass,
  PaceUnderTest,
  requester,
  storage,
} from "../../support/rate-limiter-under-test.ts";
import { numbers } from "../../support/sequences.ts";

describe("the rate budget", () => {
  it("lets a request out every 100 ms at 10 a second, whichever worker asks", async () => {
    const under = await PaceUnderTest.open();
    const workers = [under.worker({ perSecond: 10 }), under.worker({ perSecond: 10 })];
    // Nobody waits here: a wait that was told ends at once, and its slot is gone.
    const waits: number[] = [];
    for (const n of numbers(12)) {
      const asking = requester();
      await requestingAs(asking, async () => await under.entered(workers[n % 2], ingestion));
      waits.push(asking.tally.waitedMs);
    }
    expect(waits).toEqual(numbers(12).map((n) => n * 100));
    // The last would have slept for longer than an activity may, and has taken no slot.
    expect(await under.entered(workers[0], ingestion)).toMatchObject({
      name: "RateLimitedError",
      retryAfterMs: 1_100,
    });
  });

  it("has no budget for a storage host, whose address was paid for", async () => {
    const under = await PaceUnderTest.open();
    const pace = under.worker({ perSecond: 0.001 });
    for (const _ of numbers(3)) expect(await under.entered(pace, storage)).toBe("entered");
  });

  it("sleeps a short wait, and wakes with the reason when it is cancelled", async () => {
    const under = await PaceUnderTest.open();
    const pace = under.worker({ perSecond: 2 });
    await pace.enter(ingestion, never);
    const cancel = new AbortController();
    const entering = pace.enter(ingestion, cancel.signal);
    const reason = new Error("cancelled");
    cancel.abort(reason);
    await expect(entering).rejects.toMatchObject({ name: "AbortError", cause: reason });
  });

  it("holds a request back whose gate closed while it waited for its slot", async () => {
    const under = await PaceUnderTest.open();
    const pace = under.worker({ perSecond: 20 });
    await pace.enter(ingestion, never);
    const waiting = pace.enter(ingestion, never);
    await pace.slowDown(ingestion, 60_000, "429");
    await expect(waiting).rejects.toBeInstanceOf(RateLimitedError);
  });
});

describe("a gate", () => {
  it("keeps every worker out to the millisecond after a hint, and lets them in then", async () => {
    const under = await PaceUnderTest.open();
    const [one, other] = [under.worker(), under.worker()];
    expect(await one.slowDown(ingestion, 120_000, "429")).toBe(120_000);
    for (const gate of [ingestion, legacy]) {
      expect(await under.entered(other, gate)).toMatchObject({ retryAfterMs: 120_000 });
    }
    under.clock.nowMs += 119_999;
    expect(await under.entered(other, ingestion)).toMatchObject({
      name: "RateLimitedError",
      retryAfterMs: 1,
      message: "rate limited until 2026-01-01T00:02:00.000Z: 429",
    });
    under.clock.nowMs += 1;
    expect(await under.entered(other, ingestion)).toBe("entered");
  });

  it("is closed at least a second, and only ever lengthened", async () => {
    const under = await PaceUnderTest.open();
    const pace = under.worker();
    expect(await pace.slowDown(ingestion, 0, "429")).toBe(1_000);
    await pace.slowDown(ingestion, 5_000, "429");
    await pace.slowDown(ingestion, 2_000, "429");
    expect(await under.entered(pace, ingestion)).toMatchObject({ retryAfterMs: 5_000 });
  });

  it("belongs to one key, or to one storage host", async () => {
    const under = await PaceUnderTest.open();
    const pace = under.worker();
    await pace.slowDown(ingestion, 60_000, "429");
    expect(await under.entered(under.worker({ key: "another" }), ingestion)).toBe("entered");
    expect(await under.entered(pace, storage)).toBe("entered");
    await pace.slowDown(storage, 60_000, "SlowDown");
    expect(await under.entered(under.worker({ key: "another" }), storage)).toBeInstanceOf(
      RateLimitedError,
    );
    expect(await under.entered(pace, { kind: "storage", host: "other.example" })).toBe("entered");
  });
});

describe("the back-off without a hint", () => {
  it("draws from 0 to 2, 4, 8, … 60 s, and never less than a second", async () => {
    const under = await PaceUnderTest.open();
    const pace = under.worker();
    under.drawn = 1;
    const waits: number[] = [];
    for (const _ of numbers(7)) waits.push(await pace.slowDown(ingestion, undefined, "429"));
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, backoffMaxMs, backoffMaxMs]);
    under.drawn = 0.25;
    expect(await pace.slowDown(ingestion, undefined, "429")).toBe(backoffMaxMs / 4);
    under.drawn = 0;
    expect(await pace.slowDown(ingestion, undefined, "429")).toBe(1_000);
  });

  it("begins anew after a success of the same gate, and no other", async () => {
    const under = await PaceUnderTest.open();
    const pace = under.worker();
    under.drawn = 1;
    await pace.slowDown(ingestion, undefined, "429");
    await pace.succeeded(storage, pass);
    expect(await under.worker().slowDown(ingestion, undefined, "429")).toBe(4_000);
    await pace.succeeded(ingestion, pass);
    expect(await pace.slowDown(ingestion, undefined, "429")).toBe(2_000);
  });

  it("does not grow by answers that said when", async () => {
    const under = await PaceUnderTest.open();
    const pace = under.worker();
    under.drawn = 1;
    for (const _ of numbers(5)) await pace.slowDown(ingestion, 1_000, "429");
    expect(await pace.slowDown(ingestion, undefined, "429")).toBe(2_000);
  });
});

describe("refusals without a hint", () => {
  it.each([
    [creditsSuspectedMs - 1, false],
    [creditsSuspectedMs, true],
    [creditsSuspectedMs + 1, true],
  ])("for %i ms without one success are taken for used-up credits: %s", async (ms, areCredits) => {
    const under = await PaceUnderTest.open();
    const slowDown = async (): Promise<unknown> =>
      await under
        .worker()
        .slowDown(ingestion, undefined, "429")
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
    const entered = await under.entered(under.worker(), ingestion);
    expect(entered instanceof CreditsExhaustedError).toBe(areCredits);
  });

  it("of a storage host are never about credits", async () => {
    const under = await PaceUnderTest.open();
    for (const _ of numbers(62)) {
      expect(await under.worker().slowDown(storage, undefined, "503")).toBeTypeOf("number");
      under.clock.nowMs += 60_000;
    }
  });
});
