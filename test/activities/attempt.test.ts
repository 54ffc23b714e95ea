import { CancelledFailure } from "@temporalio/common";
import { MockActivityEnvironment } from "@temporalio/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { attempt } from "../../activities/attempt.ts";
import { OutcomeUnknownError, SupersededError } from "../../src/errors.ts";
import { heartbeatMs } from "../../src/limits.ts";
import { quiet } from "../support/harness.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

type Work = Parameters<typeof attempt>[0];

/** An environment, what it heard beat, and an attempt that runs in it. */
function start(work: Work): {
  readonly beats: unknown[];
  readonly environment: MockActivityEnvironment;
  readonly ended: Promise<unknown>;
} {
  const environment = new MockActivityEnvironment({}, { logger: quiet });
  const beats: unknown[] = [];
  environment.on("heartbeat", (details) => beats.push(details));
  const activity = async (): Promise<unknown> => await attempt(work);
  const ended = environment.run<[], unknown, typeof activity>(activity);
  ended.catch(() => undefined);
  return { beats, environment, ended };
}

describe("attempt", () => {
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
