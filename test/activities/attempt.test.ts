import { getEventListeners, once } from "node:events";

import { CancelledFailure } from "@temporalio/common";
import { MockActivityEnvironment } from "@temporalio/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { attempt, cutOffBy } from "../../activities/attempt.ts";
import type { PartRef } from "../../activities/inputs.ts";
import { heartbeatMs } from "../../activities/limits.ts";
import { OutcomeUnknownError, SupersededError } from "../../src/errors.ts";
import {
  accountsCsv,
  accountsYaml,
  failureOf,
  Harness,
  quiet,
} from "../support/project/harness.ts";
import { TestRun } from "../support/project/test-run.ts";

type Work = Parameters<typeof attempt>[0];

/** An environment, its recorded heartbeats, and an attempt that runs in it. */
function start(
  work: Work,
  cutOff = new AbortController().signal,
): {
  readonly beats: unknown[];
  readonly environment: MockActivityEnvironment;
  readonly ended: Promise<unknown>;
} {
  const environment = new MockActivityEnvironment({}, { logger: quiet });
  const beats: unknown[] = [];
  environment.on("heartbeat", (details) => beats.push(details));
  const activity = async (): Promise<unknown> =>
    await cutOffBy(cutOff, async () => await attempt(work));
  const ended = environment.run<[], unknown, typeof activity>(activity);
  ended.catch(() => undefined);
  return { beats, environment, ended };
}

describe("attempt", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());

  it("beats from a timer with the latest progress, and stops when the work ends", async () => {
    const done = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<(facts: object) => void>();
    const { beats, ended } = start(async ({ progress }) => {
      reached.resolve(progress);
      await done.promise;
      return "done";
    });
    const progress = await reached.promise;
    vi.advanceTimersByTime(heartbeatMs);
    progress({ sent: 1 });
    progress({ sent: 2 });
    vi.advanceTimersByTime(heartbeatMs - 1);
    expect(beats).toEqual([undefined]);
    vi.advanceTimersByTime(1);
    expect(beats).toEqual([undefined, { sent: 2 }]);
    done.resolve();
    expect(await ended).toBe("done");
    vi.advanceTimersByTime(10 * heartbeatMs);
    expect(beats).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends as interrupted, and not as at fault, when its worker stops", async () => {
    const reached = Promise.withResolvers<void>();
    const { environment, ended } = start(async ({ signal }) => {
      reached.resolve();
      await new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      throw new Error("cut off");
    });
    await reached.promise;
    environment.cancel("WORKER_SHUTDOWN");
    expect(await failureOf(ended)).toMatchObject({ type: "WorkerStopped", nonRetryable: false });
  });

  it("ends so at once when its worker cannot wait for Temporal's cancel", async () => {
    const worker = new AbortController();
    const reached = Promise.withResolvers<void>();
    const { ended } = start(async ({ signal }) => {
      reached.resolve();
      await once(signal, "abort");
      throw new OutcomeUnknownError("the connection was closed");
    }, worker.signal);
    await reached.promise;
    worker.abort();
    expect(await failureOf(ended)).toMatchObject({ type: "WorkerStopped", nonRetryable: false });
    expect(getEventListeners(worker.signal, "abort")).toEqual([]);
  });

  it("turns what the work throws into its failure", async () => {
    const { ended } = start(async () => {
      throw new SupersededError("replaced");
    });
    await expect(ended).rejects.toMatchObject({ type: "Superseded", nonRetryable: true });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends as cancelled when it was, whatever its request made of the abort", async () => {
    const aborted = Promise.withResolvers<void>();
    const { environment, ended } = start(async ({ signal }) => {
      signal.addEventListener("abort", () => aborted.resolve());
      await aborted.promise;
      throw new OutcomeUnknownError("the connection was closed");
    });
    environment.cancel();
    await expect(ended).rejects.toBeInstanceOf(CancelledFailure);
  });
});

/** A staged part for a service that takes a request every 5 s, one of which has just been made. */
async function stagedAtSlowService(): Promise<{ harness: Harness; run: TestRun; part: PartRef }> {
  const yaml = accountsYaml().replace("1000000", "0.2");
  const files = { "accounts.csv": accountsCsv(3) };
  const harness = await Harness.open({ yaml, files });
  const run = await TestRun.open(harness);
  const part = run.part(await run.stage());
  await harness.deps.api.ping({ signal: new AbortController().signal });
  return { harness, run, part };
}

describe("requestAttempt", () => {
  it("keeps a part's place over its attempts, and charges the run with requests and waits", async () => {
    const { harness, run, part } = await stagedAtSlowService();
    const { uploadJson } = harness.activities;
    const perform = async (number: number): Promise<unknown> =>
      await harness.perform(uploadJson, part, { attempt: number });
    expect(await failureOf(perform(1))).toMatchObject({ nextRetryDelay: 5_000 });
    harness.clock.nowMs += 2_000;
    expect(await failureOf(perform(2))).toMatchObject({ nextRetryDelay: 3_000 });
    harness.clock.nowMs += 3_000;
    await perform(3);
    expect(await run.stored()).toMatchObject({ requests: 1, retries: 2, waitedMs: 8_000 });
  });

  it("gives the next step of the part a place of its own", async () => {
    const { harness, part } = await stagedAtSlowService();
    const { uploadJson, uploadFile } = harness.activities;
    expect(await failureOf(harness.perform(uploadJson, part))).toMatchObject({
      nextRetryDelay: 5_000,
    });
    const next = harness.perform(uploadFile, part, { activityType: "uploadFile" });
    expect(await failureOf(next)).toMatchObject({ nextRetryDelay: 10_000 });
  });
});
