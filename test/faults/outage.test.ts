import { describe, expect, it } from "vitest";

import { numbers } from "../support/sequences.ts";
import { latencyMs, perSecond, WaitingWorkers } from "../support/temporal/waiting-workers.ts";
import { someOf } from "../support/trials.ts";

const waiting = 200;
const minuteMs = 60_000;
const windowMs = 10_000;

const outages = [
  ["nobody listens", async (workers: WaitingWorkers) => await workers.stopService()],
  [
    "every answer is a 503",
    async (workers: WaitingWorkers) =>
      await workers.restartService([
        { step: "generate-upload-url", oneIn: 1, do: { status: 503 } },
      ]),
  ],
] as const;

describe("an outage of ten minutes with 200 attempts waiting", () => {
  it.each(someOf(outages, 2))(
    "in which %s is not a storm, and a minute after it all is as before",
    async (_, takeDown) => {
      const workers = await WaitingWorkers.open();
      workers.start(waiting);
      await workers.timeline.run(windowMs);
      // The first second also uses up the permits that were saved up before it.
      expect(workers.left.length).toBeGreaterThanOrEqual((perSecond * windowMs) / 1_000);
      expect(workers.left.length).toBeLessThanOrEqual((perSecond * windowMs) / 1_000 + perSecond);

      await takeDown(workers);
      const downMs = workers.nowMs;
      const toldBefore = workers.told;
      await workers.timeline.run(10 * minuteMs);

      // P9 demands two a second of each worker after the first minute; one probe at a time is far fewer.
      for (const minute of numbers(9)) {
        const fromMs = downMs + (minute + 1) * minuteMs;
        const left = workers.leftBetween(fromMs, fromMs + minuteMs);
        expect(left).toBeGreaterThanOrEqual(1);
        expect(left).toBeLessThanOrEqual(4);
      }
      expect(workers.leftBetween(downMs, downMs + minuteMs)).toBeLessThanOrEqual(25);
      // Nor is it a storm on Temporal: each attempt comes back about twice a minute.
      expect(workers.told - toldBefore).toBeLessThanOrEqual(waiting * 40);

      await workers.restartService();
      const upMs = workers.nowMs;
      const isBack = (): boolean =>
        workers.acceptedWithin(windowMs) >= (0.9 * perSecond * windowMs) / 1_000;
      await workers.timeline.run(2 * minuteMs, isBack);
      expect(workers.nowMs - upMs).toBeLessThanOrEqual(minuteMs);
      expect(workers.leftBetween(upMs, workers.nowMs)).toBeLessThanOrEqual(
        ((workers.nowMs - upMs) / 1_000 + 1) * perSecond,
      );
    },
    120_000,
  );
});

describe("a 429", () => {
  it.each(someOf([120, 3_600], 2))(
    "with Retry-After %i holds back both workers to the second, and no longer",
    async (seconds) => {
      const workers = await WaitingWorkers.open();
      await workers.restartService([
        {
          step: "generate-upload-url",
          do: { status: 429, headers: { "retry-after": String(seconds) } },
        },
      ]);
      workers.start(20);
      await workers.timeline.run((seconds - 1) * 1_000);
      // Requests that were on their way when the answer came cannot be recalled.
      const before = workers.left.length;
      expect(before).toBeLessThanOrEqual(3);
      // No attempt sleeps where it would occupy a worker's slot: each comes back later.
      expect(workers.told).toBeGreaterThanOrEqual(20);
      await workers.timeline.run(5_000, () => workers.left.length > before);
      const waitedMs = (workers.left.at(-1) ?? 0) - latencyMs;
      expect(waitedMs).toBeGreaterThanOrEqual(seconds * 1_000);
      expect(waitedMs).toBeLessThanOrEqual(seconds * 1_000 + 5_000);
    },
    60_000,
  );
});
