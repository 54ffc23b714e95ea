import { beforeEach, describe, expect, it } from "vitest";

import { failuresMax, probeLapseMs, probeStepMs } from "../../../src/state/limits.ts";
import { numbers } from "../../support/sequences.ts";
import { BudgetUnderTest, gate } from "./rate-limit-under-test.ts";
import { implementations } from "./store-under-test.ts";

const hourMs = 3_600_000;

describe.each(implementations)("gates: $kind", ({ open }) => {
  let budget: BudgetUnderTest;

  beforeEach(async () => {
    budget = await BudgetUnderTest.open(open);
  });

  describe("two clocks", () => {
    it("opens nothing early when the wall clock steps forward, and shows the wall's time", async () => {
      await budget.closeFor(hourMs);
      budget.clock.stepWall(2 * hourMs);
      const [state] = await budget.store.gates({ prefix: gate, ...budget.clock.moment() });
      expect(state?.closedUntil).toBe(budget.clock.nowMs + hourMs);
      budget.clock.nowMs += hourMs - 1;
      expect(await budget.take()).toHaveProperty("closed");
      budget.clock.nowMs += 1;
      expect(await budget.take()).toMatchObject({ granted: true, waitMs: 0 });
    });

    it("holds nothing longer when the wall clock steps back", async () => {
      await budget.takeAll();
      await budget.take({ ticket: "a" });
      await budget.closeFor(hourMs);
      budget.clock.stepWall(-2 * hourMs);
      budget.clock.nowMs += hourMs - 1;
      expect(await budget.take()).toHaveProperty("closed");
      budget.clock.nowMs += 1;
      expect(await budget.take()).toMatchObject({ granted: true, waitMs: 0 });
    });

    it("keeps slots and tickets whatever the wall clock does", async () => {
      await budget.takeAll();
      await budget.take({ ticket: "a" });
      for (const step of [2 * hourMs, -4 * hourMs]) {
        budget.clock.stepWall(step);
        expect(await budget.take({ ticket: "a" })).toEqual({ granted: false, waitMs: 1_100 });
      }
    });

    it("goes by the wall clock after a boot, and by the new boot's from then on", async () => {
      await budget.closeFor(hourMs);
      await budget.takeAll();
      budget.clock.nowMs += hourMs / 2;
      budget.clock.reboot();
      expect(await budget.take()).toHaveProperty(
        "closed.closedUntil",
        budget.clock.nowMs + hourMs / 2,
      );
      budget.clock.stepWall(2 * hourMs);
      budget.clock.nowMs += hourMs / 2 - 1;
      expect(await budget.take()).toHaveProperty("closed");
      budget.clock.nowMs += 1;
      // Slots of the boot before are over.
      expect(await budget.take()).toMatchObject({ granted: true, waitMs: 0 });
    });

    it("starts the wait again, once, when the wall clock after a boot is before the closing", async () => {
      await budget.closeFor(hourMs);
      budget.clock.reboot();
      budget.clock.stepWall(-2 * hourMs);
      budget.clock.nowMs += 1_000;
      expect(await budget.take()).toHaveProperty("closed.closedUntil", budget.clock.nowMs + hourMs);
      budget.clock.nowMs += hourMs - 1;
      expect(await budget.take()).toHaveProperty("closed.closedUntil", budget.clock.nowMs + 1);
      budget.clock.nowMs += 1;
      expect(await budget.take()).toMatchObject({ granted: true });
    });

    it("starts the wait again, once, on a system of one clock that stepped back", async () => {
      let nowMs = budget.clock.nowMs;
      const ask = { gate, gates: [gate], perSecond: 10, waitMaxMs: 1_000, priority: 1 };
      await budget.store.takeSlot({ ...ask, nowMs });
      await budget.store.closeGate({ gate, untilMs: nowMs + hourMs, why: "429", nowMs });
      nowMs -= 2 * hourMs;
      expect(await budget.store.takeSlot({ ...ask, nowMs })).toHaveProperty(
        "closed.closedUntil",
        nowMs + hourMs,
      );
      nowMs += hourMs;
      expect(await budget.store.takeSlot({ ...ask, nowMs })).toMatchObject({
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
    ])("half-closes its gate after %i failures in a row: %s", async (times, isFailing) => {
      await budget.fail(times);
      expect(await budget.store.gates({ prefix: gate, ...budget.clock.moment() })).toMatchObject([
        { isFailing },
      ]);
      expect("failing" in (await budget.take())).toBe(isFailing);
    });

    it("counts from the start after a success", async () => {
      await budget.fail(failuresMax - 1);
      expect(await budget.take()).toMatchObject({ isTroubled: true });
      await budget.end("succeeded");
      await budget.fail(failuresMax - 1);
      expect(await budget.take()).toMatchObject({ granted: true, isProbe: false });
    });

    it("lets one probe out, after 1 s doubling to 30 s, until one succeeds", async () => {
      await budget.fail(failuresMax);
      const steps = [1_000, 2_000, 4_000, 8_000, 16_000, probeStepMs, probeStepMs];
      for (const stepMs of steps) {
        budget.clock.nowMs += stepMs - 1;
        expect(await budget.take()).toMatchObject({ failing: { why: "503" }, waitMs: 1, stepMs });
        budget.clock.nowMs += 1;
        expect(await budget.take()).toMatchObject({ granted: true, isProbe: true });
        expect(await budget.take()).toMatchObject({ failing: { gate }, waitMs: stepMs });
        await budget.end("failed", true);
      }
      budget.clock.nowMs += probeStepMs;
      await budget.take();
      await budget.end("succeeded", true);
      expect(await budget.take()).toMatchObject({ granted: true, isProbe: false });
    });

    it("is no worse for what had left before its gate half-closed", async () => {
      await budget.fail(failuresMax + 10);
      expect(await budget.take()).toMatchObject({ waitMs: 1_000 });
      budget.clock.nowMs += 1_000;
      await budget.take();
      await budget.end("failed");
      expect(await budget.take()).toHaveProperty("failing");
      await budget.end("failed", true);
      expect(await budget.take()).toMatchObject({ waitMs: 2_000 });
    });

    it("lets the next probe out at once after one that said nothing", async () => {
      await budget.fail(failuresMax);
      budget.clock.nowMs += 1_000;
      await budget.take();
      await budget.end("undecided", true);
      expect(await budget.take()).toMatchObject({ granted: true, isProbe: true });
    });

    it.each([
      [probeLapseMs - 1, false],
      [probeLapseMs, true],
      [probeLapseMs + 1, true],
    ])("gives up a probe whose process died, after %i ms: %s", async (ms, isNext) => {
      await budget.fail(failuresMax);
      budget.clock.nowMs += 1_000;
      await budget.take();
      budget.clock.nowMs += ms;
      expect("granted" in (await budget.take())).toBe(isNext);
    });

    it("takes no probe for one who has to wait for a slot", async () => {
      await budget.fail(failuresMax);
      budget.clock.nowMs += 1_000;
      for (const _ of numbers(11)) {
        await budget.take({ perSecond: 0.1 });
        await budget.end("undecided", true);
      }
      expect(await budget.take({ perSecond: 0.1 })).toMatchObject({ granted: false });
    });

    it("is probed at once after a boot, and let alone when reopened by hand", async () => {
      await budget.fail(failuresMax);
      budget.clock.reboot();
      expect(await budget.take()).toMatchObject({ isProbe: true });
      expect(await budget.store.reopenGates({ prefix: "api:", ...budget.clock.moment() })).toBe(1);
      expect(await budget.take()).toMatchObject({ granted: true, isProbe: false });
    });
  });

  describe("slow-downs without a hint", () => {
    it("are counted and timed until one success, over all processes", async () => {
      expect(await budget.slowDown()).toEqual({ times: 1, forMs: 0 });
      budget.clock.nowMs += 60_000;
      expect(await budget.slowDown()).toEqual({ times: 2, forMs: 60_000 });
      await budget.end("succeeded");
      expect(await budget.slowDown()).toEqual({ times: 1, forMs: 0 });
    });

    it.each([
      [600_000 - 1, 2],
      [600_000, 2],
      [600_000 + 1, 1],
    ])("are another story after %i ms: number %i", async (ms, times) => {
      await budget.slowDown();
      budget.clock.nowMs += ms;
      expect(await budget.slowDown()).toMatchObject({ times });
    });
  });
});
