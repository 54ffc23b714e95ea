import { beforeEach, describe, expect, it } from "vitest";

import { resetLimits } from "../../../src/service/key-limits.ts";
import { failuresMax, probeLostMs, probeStepMs } from "../../../src/state/limits.ts";
import { numbers } from "../../support/sequences.ts";
import { someOf } from "../../support/trials.ts";
import { limit, RateLimitUnderTest } from "./rate-limit-under-test.ts";
import { implementations } from "./store-under-test.ts";

const hourMs = 3_600_000;
const throttled = { kind: "throttled" } as const;

describe.each(someOf(implementations, 2))("what blocks a limit: $kind", ({ open }) => {
  let limited: RateLimitUnderTest;

  beforeEach(async () => {
    limited = await RateLimitUnderTest.open(open);
  });

  describe("two clocks", () => {
    it("ends nothing early when the wall clock steps forward, and shows the wall's time", async () => {
      await limited.blockFor(hourMs);
      limited.clock.stepWall(2 * hourMs);
      const [state] = await limited.store.rateLimits(limited.clock.moment());
      expect(state?.blockedUntil).toBe(limited.clock.nowMs + hourMs);
      limited.clock.nowMs += hourMs - 1;
      expect(await limited.acquire()).toHaveProperty("blocked");
      limited.clock.nowMs += 1;
      expect(await limited.acquire()).toMatchObject({ granted: true, waitMs: 0 });
    });

    it("holds nothing longer when the wall clock steps back", async () => {
      await limited.acquireAll();
      await limited.acquire({ token: "a" });
      await limited.blockFor(hourMs);
      limited.clock.stepWall(-2 * hourMs);
      limited.clock.nowMs += hourMs - 1;
      expect(await limited.acquire()).toHaveProperty("blocked");
      limited.clock.nowMs += 1;
      expect(await limited.acquire()).toMatchObject({ granted: true, waitMs: 0 });
    });

    it("keeps permits and reservations whatever the wall clock does", async () => {
      await limited.acquireAll();
      await limited.acquire({ token: "a" });
      for (const step of [2 * hourMs, -4 * hourMs]) {
        limited.clock.stepWall(step);
        expect(await limited.acquire({ token: "a" })).toEqual({ granted: false, waitMs: 1_100 });
      }
    });

    it("goes by the wall clock after a boot, and by the new boot's from then on", async () => {
      await limited.blockFor(hourMs);
      await limited.acquireAll();
      limited.clock.nowMs += hourMs / 2;
      limited.clock.reboot();
      expect(await limited.acquire()).toHaveProperty(
        "blocked.blockedUntil",
        limited.clock.nowMs + hourMs / 2,
      );
      limited.clock.stepWall(2 * hourMs);
      limited.clock.nowMs += hourMs / 2 - 1;
      expect(await limited.acquire()).toHaveProperty("blocked");
      limited.clock.nowMs += 1;
      // Permits from before the reboot are over.
      expect(await limited.acquire()).toMatchObject({ granted: true, waitMs: 0 });
    });

    it("starts the wait again, once, when the wall clock after a boot is before the block", async () => {
      await limited.blockFor(hourMs);
      limited.clock.reboot();
      limited.clock.stepWall(-2 * hourMs);
      limited.clock.nowMs += 1_000;
      expect(await limited.acquire()).toHaveProperty(
        "blocked.blockedUntil",
        limited.clock.nowMs + hourMs,
      );
      limited.clock.nowMs += hourMs - 1;
      expect(await limited.acquire()).toHaveProperty(
        "blocked.blockedUntil",
        limited.clock.nowMs + 1,
      );
      limited.clock.nowMs += 1;
      expect(await limited.acquire()).toMatchObject({ granted: true });
    });

    it("starts the wait again, once, on a system of one clock that stepped back", async () => {
      let nowMs = limited.clock.nowMs;
      const ask = { limits: [limit], perSecond: 10, waitMaxMs: 1_000, priority: 1 } as const;
      await limited.store.acquirePermit({ ...ask, nowMs });
      const event = { kind: "blocked", forMs: hourMs, why: "429" } as const;
      await limited.store.noteLimit({ limit, event, nowMs });
      nowMs -= 2 * hourMs;
      expect(await limited.store.acquirePermit({ ...ask, nowMs })).toHaveProperty(
        "blocked.blockedUntil",
        nowMs + hourMs,
      );
      nowMs += hourMs;
      expect(await limited.store.acquirePermit({ ...ask, nowMs })).toMatchObject({
        granted: true,
        waitMs: 0,
      });
    });
  });

  describe("a failing service", () => {
    it.each([
      [failuresMax - 1, false],
      [failuresMax, true],
      [failuresMax + 1, true],
    ])("opens the breaker after %i failures in a row: %s", async (times, isOpen) => {
      await limited.fail(times);
      expect(await limited.store.rateLimits(limited.clock.moment())).toMatchObject([
        { breaker: isOpen ? "open" : "closed" },
      ]);
      expect("failing" in (await limited.acquire())).toBe(isOpen);
    });

    it("counts from the start after a success", async () => {
      await limited.fail(failuresMax - 1);
      expect(await limited.acquire()).toMatchObject({ isTroubled: true });
      await limited.end("succeeded");
      await limited.fail(failuresMax - 1);
      expect(await limited.acquire()).toMatchObject({ granted: true, isProbe: false });
    });

    it("lets one probe out, after 1 s doubling to 30 s, until one succeeds", async () => {
      await limited.fail(failuresMax);
      const steps = [1_000, 2_000, 4_000, 8_000, 16_000, probeStepMs, probeStepMs];
      for (const stepMs of steps) {
        limited.clock.nowMs += stepMs - 1;
        expect(await limited.acquire()).toMatchObject({
          failing: { why: "503" },
          waitMs: 1,
          stepMs,
        });
        limited.clock.nowMs += 1;
        expect(await limited.acquire()).toMatchObject({ granted: true, isProbe: true });
        expect(await limited.acquire()).toMatchObject({ failing: { limit }, waitMs: stepMs });
        await limited.end("failed", true);
      }
      limited.clock.nowMs += probeStepMs;
      await limited.acquire();
      await limited.end("succeeded", true);
      expect(await limited.acquire()).toMatchObject({ granted: true, isProbe: false });
    });

    it("is not a worse for what had left before the breaker opened", async () => {
      await limited.fail(failuresMax + 10);
      expect(await limited.acquire()).toMatchObject({ waitMs: 1_000 });
      limited.clock.nowMs += 1_000;
      await limited.acquire();
      await limited.end("failed");
      expect(await limited.acquire()).toHaveProperty("failing");
      await limited.end("failed", true);
      expect(await limited.acquire()).toMatchObject({ waitMs: 2_000 });
    });

    it("lets the next probe out at once after one that said nothing", async () => {
      await limited.fail(failuresMax);
      limited.clock.nowMs += 1_000;
      await limited.acquire();
      await limited.end("undecided", true);
      expect(await limited.acquire()).toMatchObject({ granted: true, isProbe: true });
    });

    it.each([
      [probeLostMs - 1, false],
      [probeLostMs, true],
      [probeLostMs + 1, true],
    ])("gives up a probe whose process died, after %i ms: %s", async (ms, isNext) => {
      await limited.fail(failuresMax);
      limited.clock.nowMs += 1_000;
      await limited.acquire();
      limited.clock.nowMs += ms;
      expect("granted" in (await limited.acquire())).toBe(isNext);
    });

    it("takes no probe for one who has to wait for a permit", async () => {
      await limited.fail(failuresMax);
      limited.clock.nowMs += 1_000;
      for (const _ of numbers(11)) {
        await limited.acquire({ perSecond: 0.1 });
        await limited.end("undecided", true);
      }
      expect(await limited.acquire({ perSecond: 0.1 })).toMatchObject({ granted: false });
    });

    it("is probed at once after a boot, and let alone when reset by hand", async () => {
      await limited.fail(failuresMax);
      limited.clock.reboot();
      expect(await limited.acquire()).toMatchObject({ isProbe: true });
      expect(await resetLimits(limited.store, "api:", limited.clock.moment())).toBe(1);
      expect(await limited.acquire()).toMatchObject({ granted: true, isProbe: false });
    });
  });

  describe('"slow down" without a time', () => {
    it("are counted and timed until one success, over all processes", async () => {
      expect(await limited.note(throttled)).toEqual({ times: 1, forMs: 0 });
      limited.clock.nowMs += 60_000;
      expect(await limited.note(throttled)).toEqual({ times: 2, forMs: 60_000 });
      await limited.end("succeeded");
      expect(await limited.note(throttled)).toEqual({ times: 1, forMs: 0 });
    });

    it.each([
      [600_000 - 1, 2],
      [600_000, 2],
      [600_000 + 1, 1],
    ])("are another story after %i ms: number %i", async (ms, times) => {
      await limited.note(throttled);
      limited.clock.nowMs += ms;
      expect(await limited.note(throttled)).toMatchObject({ times });
    });
  });
});
