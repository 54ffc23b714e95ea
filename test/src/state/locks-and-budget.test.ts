import { beforeEach, describe, expect, it } from "vitest";

import type { LockHolder } from "../../../src/state/locks.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import { at, implementations, nowMs, StoreUnderTest } from "./store-under-test.ts";

function holder(runId: string): LockHolder {
  return { workflowId: `wf-${runId}`, firstRunId: `first-${runId}`, runId, kind: "sync" };
}

describe.each(implementations)("locks and budget: $kind", ({ open }) => {
  let store: StateStore;

  beforeEach(async () => {
    ({ store } = await StoreUnderTest.open(open));
  });

  describe("locks", () => {
    it("gives a lock to one workflow, again when it asks again, and to the next with a higher fence", async () => {
      const ask = { name: "sync a", at };
      expect(await store.takeLock({ ...ask, ...holder("r1") })).toEqual({ fence: 1 });
      expect(await store.takeLock({ ...ask, ...holder("r1") })).toEqual({ fence: 1 });
      expect(await store.takeLock({ ...ask, ...holder("r2") })).toEqual({ holder: holder("r1") });
      await store.releaseLock({ name: "sync a", firstRunId: "first-r2" });
      expect(await store.lockHolder("sync a")).toEqual(holder("r1"));
      await store.releaseLock({ name: "sync a", firstRunId: "first-r1" });
      expect(await store.takeLock({ ...ask, ...holder("r2") })).toEqual({ fence: 2 });
    });

    it("replaces exactly the holder that was found closed", async () => {
      const ask = { name: "sync a", at };
      await store.takeLock({ ...ask, ...holder("r1") });
      const instead = { ...ask, ...holder("r3"), insteadOf: holder("r2") };
      expect(await store.takeLock(instead)).toEqual({ holder: holder("r1") });
      const right = { ...ask, ...holder("r3"), insteadOf: holder("r1") };
      expect(await store.takeLock(right)).toEqual({ fence: 2 });
    });
  });

  describe("budget", () => {
    const ask = {
      gate: "api:1",
      gates: ["api:1", "api:1:ingestion"],
      perSecond: 10,
      waitMaxMs: 1_000,
    };

    it("spaces requests evenly and gives no slot that is too far away", async () => {
      const waits = [];
      for (let index = 0; index < 11; index++) {
        const answer = await store.takeSlot({ ...ask, nowMs });
        waits.push("waitMs" in answer && answer.granted ? answer.waitMs : undefined);
      }
      expect(waits).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000]);
      expect(await store.takeSlot({ ...ask, nowMs })).toEqual({ waitMs: 1_100, granted: false });
      expect(await store.takeSlot({ ...ask, nowMs: nowMs + 1_100 })).toEqual({
        waitMs: 0,
        granted: true,
      });
    });

    it("lets nobody pass a closed gate, which only a later time moves", async () => {
      const gate = { gate: "api:1", why: "429", nowMs };
      await store.closeGate({ ...gate, untilMs: nowMs + 3_000 });
      await store.closeGate({ ...gate, untilMs: nowMs + 1_000 });
      const closed = { closed: { gate: "api:1", closedUntil: nowMs + 3_000, why: "429" } };
      expect(await store.takeSlot({ ...ask, nowMs: nowMs + 2_999 })).toEqual(closed);
      expect(await store.takeSlot({ ...ask, nowMs: nowMs + 3_000 })).toMatchObject({
        granted: true,
      });
      expect(await store.reopenGates({ prefix: "api:", nowMs })).toBe(1);
      expect(await store.gates({ prefix: "api:" })).toMatchObject([{ closedUntil: null }]);
    });

    it("gives no slot of a time before the clock stepped back", async () => {
      await store.takeSlot({ ...ask, nowMs });
      const earlier = nowMs - 7_200_000;
      expect(await store.takeSlot({ ...ask, nowMs: earlier })).toEqual({
        waitMs: 0,
        granted: true,
      });
      expect(await store.takeSlot({ ...ask, nowMs: earlier })).toMatchObject({ waitMs: 100 });
    });
  });
});
