import { beforeEach, describe, expect, it } from "vitest";

import { SupersededError } from "../../../src/errors.ts";
import type { LockHolder } from "../../../src/state/contract/runs/locks.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import { someOf } from "../../support/trials.ts";
import { at, implementations, StoreUnderTest } from "./store-under-test.ts";

function holder(runId: string): LockHolder {
  return { workflowId: `wf-${runId}`, firstRunId: `first-${runId}`, runId, kind: "sync" };
}

describe.each(someOf(implementations, 2))("locks: $kind", ({ open }) => {
  let test: StoreUnderTest;
  let store: StateStore;

  beforeEach(async () => {
    test = await StoreUnderTest.open(open);
    ({ store } = test);
  });

  describe("locks", () => {
    it("gives a lock to one workflow, again when it asks again, and to the next with a higher fence", async () => {
      const ask = { name: "sync a", at };
      expect(await store.takeLock({ ...ask, ...holder("r1") })).toEqual({ fence: 1 });
      expect(await store.takeLock({ ...ask, ...holder("r1") })).toEqual({ fence: 1 });
      expect(await store.takeLock({ ...ask, ...holder("r2") })).toEqual({ holder: holder("r1") });
      await store.releaseLock({ name: "sync a", runId: "r2" });
      expect(await store.lockHolder("sync a")).toEqual(holder("r1"));
      await store.releaseLock({ name: "sync a", runId: "r1" });
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

    it(
      "gives up what the replaced holder staged in the same breath, so that its zombie begins and " +
        "commits nothing",
      async () => {
        await test.openRun("r1");
        await test.stage("r1", 1);
        await test.accept("r1", 1, 1);
        await test.stage("r1", 2);
        await store.takeLock({
          ...holder("r2"),
          name: "lock of r1",
          at,
          insteadOf: holder("r1"),
        });
        const first = { runId: "r1", chunk: 1, stage: 1, at };
        await expect(store.commitChunk(first)).rejects.toThrow(SupersededError);
        const part = { ...first, chunk: 2, part: 0, form: "body", host: "h" } as const;
        await expect(store.beginPart(part)).rejects.toThrow(SupersededError);
        expect((await store.run("r1"))?.possiblyRepeated).toBe(10);
      },
    );

    it("is given back by none of an earlier holding, nor, if so asked, once anything was staged", async () => {
      await test.openRun("r1");
      const lock = { name: "lock of r1", runId: "r1" };
      await store.releaseLock(lock);
      expect(await store.takeLock({ ...lock, ...holder("r1"), at })).toEqual({ fence: 2 });
      await test.stage("r1", 1);
      await store.releaseLock({ ...lock, fence: 1 });
      await store.releaseLock({ ...lock, fence: 2, keptIfStaged: true });
      expect(await store.lockHolder(lock.name)).toEqual(holder("r1"));
      expect(await store.openStagings({ runId: "r1" })).toHaveLength(1);
      await store.releaseLock({ ...lock, fence: 2 });
      expect(await store.lockHolder(lock.name)).toBeUndefined();
    });

    it("leaves nothing staged where it is given back, also what a zombie began in the last moment", async () => {
      await test.openRun("r1");
      await test.stage("r1", 1);
      await store.dropStagings({ runId: "r1" });
      await store.beginStaging({ runId: "r1", chunk: 1, host: "h" });
      await store.releaseLock({ name: "lock of r1", runId: "r1" });
      expect(await store.openStagings({ runId: "r1" })).toEqual([]);
      const first = await store.staging({ runId: "r1", chunk: 1, stage: 1 });
      expect(await store.firstSend({ runId: "r1" })).toBe(first?.send);
      expect(await store.firstSend({ runId: "r2" })).toBeUndefined();
    });
  });
});
