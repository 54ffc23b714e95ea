import { describe, expect, it } from "vitest";

import { withRetryBudget, retryDelayMs } from "../../../activities/upload/retry-budget.ts";
import {
  ApiUnavailableError,
  ConfigError,
  OutcomeUnknownError,
  RateLimitedError,
} from "../../../src/errors.ts";
import { rejection } from "../../src/api/support.ts";
import { dyingAt } from "../../support/project/harness.ts";
import { openedRun } from "../../support/project/test-run.ts";

const chunk = { runId: "run-1", chunk: 1 };

async function fail(error: Error): Promise<never> {
  throw error;
}

describe("withRetryBudget", () => {
  it("throws what a fault becomes at the last time, and not before", async () => {
    const { deps } = (await openedRun()).harness;
    const becomes = new ConfigError("no longer");
    const retryBudget = { fault: "f", timesMax: 2, becomes };
    const error = new ApiUnavailableError("for now", { retryBudget });
    const first = await rejection(withRetryBudget(deps, chunk, async () => await fail(error)));
    expect(first).toMatchObject({ message: "for now" });
    expect(first).toHaveProperty("retryAfterMs", expect.any(Number));
    const again = new ApiUnavailableError("for now", { retryBudget });
    expect(await rejection(withRetryBudget(deps, chunk, async () => await fail(again)))).toBe(
      becomes,
    );
  });

  it("throws what a fault becomes when it was borne long enough, and not before", async () => {
    const { deps, clock } = (await openedRun()).harness;
    const becomes = new ConfigError("no longer");
    const meet = async (): Promise<unknown> => {
      const error = new ApiUnavailableError("", {
        retryBudget: { fault: "f", msMax: 1_000, becomes },
      });
      return await rejection(withRetryBudget(deps, chunk, async () => await fail(error)));
    };
    for (const passed of [0, 999]) {
      clock.nowMs += passed;
      expect(await meet()).toBeInstanceOf(ApiUnavailableError);
    }
    clock.stepWall(2 * 3_600_000);
    expect(await meet()).toBeInstanceOf(ApiUnavailableError);
    clock.nowMs += 1;
    expect(await meet()).toBe(becomes);
    clock.stepWall(-2 * 3_600_000);
    expect(await meet()).toBe(becomes);
  });

  it("tells what became of the request even when the store cannot count it", async () => {
    const { harness } = await openedRun();
    const deps = { ...harness.deps, ...dyingAt(harness, "countFault") };
    const error = new OutcomeUnknownError("no answer");
    expect(await rejection(withRetryBudget(deps, chunk, async () => await fail(error)))).toBe(
      error,
    );
  });

  it("leaves alone what does not pass, and what names its own time", async () => {
    const { deps } = (await openedRun()).harness;
    const timed = new ApiUnavailableError("later", { retryAfterMs: 7 });
    const waiting = new RateLimitedError("wait", { retryAfterMs: 1_000 });
    for (const error of [new ConfigError("wrong"), new Error("a bug"), timed, waiting]) {
      expect(await rejection(withRetryBudget(deps, chunk, async () => await fail(error)))).toBe(
        error,
      );
    }
    expect(timed.retryAfterMs).toBe(7);
    for (const fault of ["Unavailable", "RateLimited"]) {
      expect(await deps.state.faultTimes({ ...chunk, fault })).toBe(0);
    }
  });
});

describe("retryDelayMs", () => {
  it.each([
    [1, 2_000],
    [2, 4_000],
    [5, 32_000],
    [6, 60_000],
    [2_000, 60_000],
  ])("draws the delay after %i times from 1 s to %i ms", (times, longest) => {
    const settings = { retryInitialMs: 1_000 };
    expect(retryDelayMs(settings, times, () => 0)).toBe(1_000);
    expect(retryDelayMs(settings, times, () => 0.5)).toBe((1_000 + longest) / 2);
    expect(retryDelayMs(settings, times, () => 1)).toBe(longest);
  });

  it("differs from one attempt to the next", () => {
    const drawn = Array.from({ length: 20 }, () => retryDelayMs({ retryInitialMs: 1_000 }, 5));
    expect(new Set(drawn).size).toBeGreaterThan(10);
  });

  it.each([
    [4, 999, undefined],
    [4, 1_000, 1_000],
    [4, 1_001, 1_001],
  ])("leaves to the retry policy what Temporal takes no delay for", (times, retryMaxMs, delay) => {
    const settings = { retryInitialMs: 500, retryMaxMs };
    expect(retryDelayMs(settings, times, () => 1)).toBe(delay);
  });
});
