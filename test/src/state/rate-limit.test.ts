import { beforeEach, describe, expect, it } from "vitest";

import { ticketLapseMs } from "../../../src/state/limits.ts";
import { numbers } from "../../support/sequences.ts";
import { BudgetUnderTest, gate, waitOf } from "./rate-limit-under-test.ts";
import { implementations } from "./store-under-test.ts";

describe.each(implementations)("budget: $kind", ({ open }) => {
  let budget: BudgetUnderTest;

  beforeEach(async () => {
    budget = await BudgetUnderTest.open(open);
  });

  describe("slots", () => {
    it("spaces requests evenly and gives no slot that is too far away", async () => {
      const waits = [];
      for (const _ of numbers(11)) waits.push(waitOf(await budget.take()));
      expect(waits).toEqual(numbers(11).map((n) => n * 100));
      expect(await budget.take()).toEqual({ waitMs: 1_100, granted: false });
      budget.clock.nowMs += 1_100;
      expect(await budget.take()).toMatchObject({ waitMs: 0, granted: true });
    });

    it("gives the same time again to the same ticket, and each other one the next", async () => {
      await budget.takeAll();
      expect(waitOf(await budget.take({ ticket: "a" }))).toBe(1_100);
      expect(waitOf(await budget.take({ ticket: "b" }))).toBe(1_200);
      expect(waitOf(await budget.take({ ticket: "a" }))).toBe(1_100);
      budget.clock.nowMs += 50;
      expect(waitOf(await budget.take({ ticket: "b" }))).toBe(1_150);
      budget.clock.nowMs += 1_050;
      expect(await budget.take({ ticket: "a" })).toMatchObject({ granted: true, waitMs: 0 });
      // Used up: whoever asks under that name again goes behind the others.
      expect(await budget.take({ ticket: "a" })).toMatchObject({ granted: true, waitMs: 100 });
    });

    it.each([
      [ticketLapseMs - 1, true],
      [ticketLapseMs, false],
      [ticketLapseMs + 1, false],
    ])("keeps a ticket whose time was %i ms ago: %s", async (ms, isKept) => {
      await budget.takeAll();
      await budget.take({ ticket: "a", priority: 0 });
      budget.clock.nowMs += 1_100 + ms;
      const low = { priority: 2 };
      expect(await budget.take(low)).toMatchObject({ granted: true });
      // As long as the ticket counts, a lower class has had its slot.
      expect(await budget.take(low)).toMatchObject({ granted: !isKept });
    });

    it("lets those who come late together out one by one", async () => {
      await budget.takeAll();
      const tickets = numbers(20).map((n) => `late ${n}`);
      for (const ticket of tickets) await budget.take({ ticket });
      budget.clock.nowMs += 10_000;
      const waits = [];
      for (const ticket of tickets) waits.push(waitOf(await budget.take({ ticket })));
      expect(new Set(waits).size).toBe(20);
      expect(Math.max(...waits)).toBe(1_900);
    });

    it("gives a lower class every tenth slot while a higher one waits, and all when none does", async () => {
      const classes = ["inbox", "sync", "backfill"] as const;
      const left = new Map(classes.map((name) => [name, new Map<string, number>()]));
      const wait = (name: (typeof classes)[number], count: number): void => {
        for (const n of numbers(count)) left.get(name)?.set(`${name} ${n}`, 0);
      };
      const grants: string[] = [];
      /** Everybody comes when told; each one granted leaves. */
      const pass = async (ms: number): Promise<void> => {
        for (
          const endMs = budget.clock.nowMs + ms;
          budget.clock.nowMs < endMs;
          budget.clock.nowMs += 100
        ) {
          // The lowest class asks first: only the rule holds it back.
          for (const [priority, name] of [...classes.entries()].toReversed()) {
            for (const [ticket, due] of left.get(name) ?? []) {
              if (due > budget.clock.nowMs) continue;
              const answer = await budget.take({ ticket, priority });
              if ("granted" in answer && answer.granted) {
                grants.push(name);
                left.get(name)?.delete(ticket);
              } else left.get(name)?.set(ticket, budget.clock.nowMs + waitOf(answer));
            }
          }
        }
      };
      wait("backfill", 60);
      await pass(2_000);
      const before = grants.length;
      expect(new Set(grants)).toEqual(new Set(["backfill"]));
      wait("sync", 100);
      await pass(8_000);
      const during = grants.slice(before);
      const share = during.filter((name) => name === "backfill").length / during.length;
      expect(during.length).toBeGreaterThanOrEqual(75);
      expect(share).toBeGreaterThan(0.05);
      expect(share).toBeLessThan(0.25);
      await pass(20_000);
      expect(grants).toHaveLength(160);
    });

    it("gives a lower class its tenth slots also when those who hold the higher tickets are dead", async () => {
      await budget.takeAll();
      for (const n of numbers(50)) await budget.take({ ticket: `dead ${n}`, priority: 0 });
      budget.clock.nowMs += 1_100;
      let granted = 0;
      for (const _ of numbers(100)) {
        const answer = await budget.take({ ticket: "low", priority: 2 });
        if ("granted" in answer && answer.granted) granted += 1;
        budget.clock.nowMs += 100;
      }
      expect(granted).toBeGreaterThanOrEqual(9);
      expect(granted).toBeLessThanOrEqual(11);
    });
  });

  describe("a closed gate", () => {
    it("lets nobody pass, and only a later time moves it", async () => {
      await budget.closeFor(3_000);
      await budget.closeFor(1_000);
      const closedUntil = budget.clock.nowMs + 3_000;
      const closed = { closed: { gate, closedUntil, why: "429", isFailing: false } };
      budget.clock.nowMs += 2_999;
      expect(await budget.take()).toEqual(closed);
      budget.clock.nowMs += 1;
      expect(await budget.take()).toMatchObject({ granted: true });
    });

    it("is opened by hand, once", async () => {
      await budget.closeFor(3_000);
      expect(await budget.store.reopenGates({ prefix: "api:", ...budget.clock.moment() })).toBe(1);
      expect(await budget.store.reopenGates({ prefix: "api:", ...budget.clock.moment() })).toBe(0);
      const [state] = await budget.store.gates({ prefix: "api:", ...budget.clock.moment() });
      expect(state).toEqual({ gate, closedUntil: null, why: null, isFailing: false });
    });
  });
});
