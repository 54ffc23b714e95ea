import { beforeEach, describe, expect, it } from "vitest";

import { resetLimits } from "../../../src/service/key-limits.ts";
import { reservationExpiresMs } from "../../../src/state/limits.ts";
import { numbers } from "../../support/sequences.ts";
import { limit, RateLimitUnderTest, waitOf } from "./rate-limit-under-test.ts";
import { implementations } from "./store-under-test.ts";

describe.each(implementations)("rate limits: $kind", ({ open }) => {
  let limited: RateLimitUnderTest;

  beforeEach(async () => {
    limited = await RateLimitUnderTest.open(open);
  });

  describe("permits", () => {
    it("spaces requests evenly and gives no permit that is too far away", async () => {
      const waits = [];
      for (const _ of numbers(11)) waits.push(waitOf(await limited.acquire()));
      expect(waits).toEqual(numbers(11).map((n) => n * 100));
      expect(await limited.acquire()).toEqual({ waitMs: 1_100, granted: false });
      limited.clock.nowMs += 1_100;
      expect(await limited.acquire()).toMatchObject({ waitMs: 0, granted: true });
    });

    it("gives the same time again to the same token, and each other one the next", async () => {
      await limited.acquireAll();
      expect(waitOf(await limited.acquire({ token: "a" }))).toBe(1_100);
      expect(waitOf(await limited.acquire({ token: "b" }))).toBe(1_200);
      expect(waitOf(await limited.acquire({ token: "a" }))).toBe(1_100);
      limited.clock.nowMs += 50;
      expect(waitOf(await limited.acquire({ token: "b" }))).toBe(1_150);
      limited.clock.nowMs += 1_050;
      expect(await limited.acquire({ token: "a" })).toMatchObject({ granted: true, waitMs: 0 });
      // Used up: a caller that asks under that name again comes after the others.
      expect(await limited.acquire({ token: "a" })).toMatchObject({ granted: true, waitMs: 100 });
    });

    it.each([
      [reservationExpiresMs - 1, true],
      [reservationExpiresMs, false],
      [reservationExpiresMs + 1, false],
    ])("keeps a reservation whose time was %i ms ago: %s", async (ms, isKept) => {
      await limited.acquireAll();
      await limited.acquire({ token: "a", priority: 0 });
      limited.clock.nowMs += 1_100 + ms;
      const low = { priority: 2 };
      expect(await limited.acquire(low)).toMatchObject({ granted: true });
      // While the reservation counts, the lower priority has already had its permit.
      expect(await limited.acquire(low)).toMatchObject({ granted: !isKept });
    });

    it("lets those who come late together out one by one", async () => {
      await limited.acquireAll();
      const tokens = numbers(20).map((n) => `late ${n}`);
      for (const token of tokens) await limited.acquire({ token });
      limited.clock.nowMs += 10_000;
      const waits = [];
      for (const token of tokens) waits.push(waitOf(await limited.acquire({ token })));
      expect(new Set(waits).size).toBe(20);
      expect(Math.max(...waits)).toBe(1_900);
    });

    it("gives a lower priority every tenth permit while a higher one waits, and all when none does", async () => {
      const priorities = ["inbox", "sync", "backfill"] as const;
      const left = new Map(priorities.map((name) => [name, new Map<string, number>()]));
      const wait = (name: (typeof priorities)[number], count: number): void => {
        for (const n of numbers(count)) left.get(name)?.set(`${name} ${n}`, 0);
      };
      const grants: string[] = [];
      /** All callers come when their wait is over; each granted one leaves. */
      const pass = async (ms: number): Promise<void> => {
        for (
          const endMs = limited.clock.nowMs + ms;
          limited.clock.nowMs < endMs;
          limited.clock.nowMs += 100
        ) {
          // The lowest priority asks first: only the rule of priorities holds it back.
          for (const [priority, name] of [...priorities.entries()].toReversed()) {
            for (const [token, due] of left.get(name) ?? []) {
              if (due > limited.clock.nowMs) continue;
              const answer = await limited.acquire({ token, priority });
              if ("granted" in answer && answer.granted) {
                grants.push(name);
                left.get(name)?.delete(token);
              } else left.get(name)?.set(token, limited.clock.nowMs + waitOf(answer));
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

    it("gives a lower priority its tenth permits also when all who wait with a higher one are dead", async () => {
      await limited.acquireAll();
      for (const n of numbers(50)) await limited.acquire({ token: `dead ${n}`, priority: 0 });
      limited.clock.nowMs += 1_100;
      let granted = 0;
      for (const _ of numbers(100)) {
        const answer = await limited.acquire({ token: "low", priority: 2 });
        if ("granted" in answer && answer.granted) granted += 1;
        limited.clock.nowMs += 100;
      }
      expect(granted).toBeGreaterThanOrEqual(9);
      expect(granted).toBeLessThanOrEqual(11);
    });
  });

  describe("a blocked limit", () => {
    it("lets nobody pass, and only a later time moves it", async () => {
      await limited.blockFor(3_000);
      await limited.blockFor(1_000);
      const blockedUntil = limited.clock.nowMs + 3_000;
      const blocked = { blocked: { limit, blockedUntil, why: "429", breaker: "closed" } };
      limited.clock.nowMs += 2_999;
      expect(await limited.acquire()).toEqual(blocked);
      limited.clock.nowMs += 1;
      expect(await limited.acquire()).toMatchObject({ granted: true });
    });

    it("lets nobody pass of those whom it concerns beside another", async () => {
      await limited.acquire();
      const event = { kind: "blocked", forMs: 3_000, why: "no credits" } as const;
      const other = { limit: "api:1:ingestion", event, ...limited.clock.moment() };
      await limited.store.noteLimit(other);
      expect(await limited.acquire()).toHaveProperty("blocked.limit", "api:1:ingestion");
      limited.clock.nowMs += 3_000;
      expect(await limited.acquire()).toMatchObject({ granted: true });
    });

    it("is reset by hand, once", async () => {
      await limited.blockFor(3_000);
      expect(await resetLimits(limited.store, "api:", limited.clock.moment())).toBe(1);
      expect(await resetLimits(limited.store, "api:", limited.clock.moment())).toBe(0);
      const [state] = await limited.store.rateLimits(limited.clock.moment());
      expect(state).toEqual({ limit, blockedUntil: null, why: null, breaker: "closed" });
    });
  });
});
