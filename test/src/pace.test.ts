import { describe, expect, it, onTestFinished } from "vitest";

import type { Gate, Pace } from "../../src/api/pace.ts";
import { ApiAuthError, CreditsExhaustedError, RateLimitedError } from "../../src/errors.ts";
import { backoffMaxMs } from "../../src/limits.ts";
import { createStorePace, keyName, tallied } from "../../src/pace.ts";
import { Secret } from "../../src/secret.ts";
import type { StateStore } from "../../src/state/state-store.ts";
import { openStoreInline } from "../support/inline-threads.ts";
import { numbers } from "../support/sequences.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ingestion: Gate = { kind: "api", family: "ingestion" };
const legacy: Gate = { kind: "api", family: "legacy" };
const storage: Gate = { kind: "storage", host: "storage.example" };
const never = new AbortController().signal;

/** A store, a clock that stands still, and paces on them: one for each worker. */
class PaceUnderTest {
  nowMs = Date.parse("2026-01-01T00:00:00Z");
  /** What the next draws give. */
  drawn = 0.5;
  readonly state: StateStore;

  private constructor(state: StateStore) {
    this.state = state;
  }

  static async open(): Promise<PaceUnderTest> {
    const state = await openStoreInline(await temporaryFolder());
    onTestFinished(async () => await state.close());
    return new PaceUnderTest(state);
  }

  worker(changes: { readonly key?: string; readonly perSecond?: number } = {}): Pace {
    return createStorePace({
      state: this.state,
      apiKey: new Secret(changes.key ?? "key"),
      requestsPerSecond: changes.perSecond ?? 1_000_000,
      creditsRetryMs: 86_400_000,
      now: () => this.nowMs,
      random: () => this.drawn,
    });
  }

  /** What asking to enter ends with; a short wait ends at once. */
  async entered(pace: Pace | undefined, gate: Gate): Promise<unknown> {
    return await pace?.enter(gate, AbortSignal.abort()).then(
      () => "entered",
      (error: unknown) => error,
    );
  }
}

describe("the rate budget", () => {
  it("lets a request out every 100 ms at 10 a second, whichever worker asks", async () => {
    const under = await PaceUnderTest.open();
    const workers = [under.worker({ perSecond: 10 }), under.worker({ perSecond: 10 })];
    // Nobody waits here: a wait that was told ends at once, and its slot is gone.
    const waits: number[] = [];
    for (const n of numbers(12)) {
      const tally = { requests: 0, waitedMs: 0 };
      await tallied(tally, async () => await under.entered(workers[n % 2], ingestion));
      waits.push(tally.waitedMs);
    }
    expect(waits).toEqual(numbers(12).map((n) => n * 100));
    // The last would have slept for longer than an activity may, and has taken no slot.
    expect(await under.entered(workers[0], ingestion)).toMatchObject({
      name: "RateLimitedError",
      retryAfterMs: 1_100 * 1.05,
    });
  });

  it("gives a wait above a second back with up to a tenth more, so that waiters spread", async () => {
    const under = await PaceUnderTest.open();
    const pace = under.worker({ perSecond: 0.5 });
    expect(await under.entered(pace, ingestion)).toBe("entered");
    for (const [drawn, retryAfterMs] of [
      [0, 2_000],
      [0.5, 2_100],
      [1, 2_200],
    ] as const) {
      under.drawn = drawn;
      expect(await under.entered(pace, ingestion)).toMatchObject({ retryAfterMs });
    }
    // Asking took no slot: the one at 2,000 ms is still free.
    under.nowMs += 2_000;
    expect(await under.entered(pace, ingestion)).toBe("entered");
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
    under.nowMs += 119_999;
    expect(await under.entered(other, ingestion)).toMatchObject({
      name: "RateLimitedError",
      retryAfterMs: 1,
      message: "rate limited until 2026-01-01T00:02:00.000Z: 429",
    });
    under.nowMs += 1;
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
    pace.succeeded?.(storage);
    expect(await pace.slowDown(ingestion, undefined, "429")).toBe(4_000);
    pace.succeeded?.(ingestion);
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

describe("what stops a key", () => {
  it("is exhausted credits, for the family alone and for a day", async () => {
    const under = await PaceUnderTest.open();
    const pace = under.worker();
    await pace.creditsExhausted(ingestion, "credits exhausted");
    const stopped = await under.entered(under.worker(), ingestion);
    expect(stopped).toBeInstanceOf(CreditsExhaustedError);
    expect(stopped).toHaveProperty("hint", expect.stringContaining("budget reopen"));
    expect(await under.entered(pace, legacy)).toBe("entered");
    under.nowMs += 86_399_999;
    expect(await under.entered(pace, ingestion)).toBeInstanceOf(CreditsExhaustedError);
    under.nowMs += 1;
    expect(await under.entered(pace, ingestion)).toBe("entered");
  });

  it("is a refusal, for every family and until the key changes", async () => {
    const under = await PaceUnderTest.open();
    await under.worker().keyRefused("401");
    under.nowMs += 10 * 365 * 86_400_000;
    for (const gate of [ingestion, legacy]) {
      const stopped = await under.entered(under.worker(), gate);
      expect(stopped).toBeInstanceOf(ApiAuthError);
      expect(stopped).toHaveProperty("message", expect.stringContaining("401"));
    }
    expect(await under.entered(under.worker({ key: "a new one" }), ingestion)).toBe("entered");
    expect(await under.entered(under.worker(), storage)).toBe("entered");
  });

  it("is opened by hand", async () => {
    const under = await PaceUnderTest.open();
    const pace = under.worker();
    await pace.keyRefused("401");
    await pace.creditsExhausted(ingestion, "none");
    const prefix = `api:${keyName(new Secret("key"))}`;
    expect(await under.state.reopenGates({ prefix, nowMs: under.nowMs })).toBe(2);
    expect(await under.entered(pace, ingestion)).toBe("entered");
  });
});

describe("tallied", () => {
  it("adds the requests made and the waits told to the tally around them", async () => {
    const under = await PaceUnderTest.open();
    const pace = under.worker();
    const tally = { requests: 0, waitedMs: 0 };
    const other = { requests: 0, waitedMs: 0 };
    await tallied(tally, async () => {
      await pace.enter(ingestion, never);
      await tallied(other, async () => await pace.enter(storage, never));
      await pace.slowDown(ingestion, 5_000, "429");
      await under.entered(pace, ingestion);
    });
    await pace.enter(storage, never);
    expect(tally).toEqual({ requests: 1, waitedMs: 10_000 });
    expect(other).toEqual({ requests: 1, waitedMs: 0 });
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
