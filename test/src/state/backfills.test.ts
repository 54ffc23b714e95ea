import { beforeEach, describe, expect, it } from "vitest";

import { SupersededError } from "../../../src/errors.ts";
import { firstChunkOf } from "../../../src/lane-of.ts";
import type { LockHolder } from "../../../src/state/contract/runs/locks.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import { examplePlan } from "../../support/project/plan.ts";
import { someOf } from "../../support/trials.ts";
import { at, implementations, name, staged, StoreUnderTest } from "./store-under-test.ts";

function holder(runId: string, kind: string): LockHolder {
  return { workflowId: `wf-${runId}`, firstRunId: `first-${runId}`, runId, kind };
}

const plan = examplePlan;

const spans = [
  { from: null, to: { row: 10 } },
  { from: { row: 10 }, to: { row: 20 } },
];
const span = { from: null, to: null };
const second = firstChunkOf(2);

describe.each(someOf(implementations, 2))("backfills: $kind", ({ open }) => {
  let test: StoreUnderTest;
  let store: StateStore;

  beforeEach(async () => {
    test = await StoreUnderTest.open(open);
    ({ store } = test);
    await test.openRun("b", "backfill");
    await store.putPlan({ runId: "b", plan, samples: ['{"id":"a"}'], spans });
  });

  it("keeps a plan with its spans and samples, and freezes it with the first staging", async () => {
    expect(await store.plan("b")).toEqual({ plan, samples: ['{"id":"a"}'] });
    expect(await store.laneSpans("b")).toEqual(spans);
    await store.putPlan({
      runId: "b",
      plan: { ...plan, rows: 5 },
      samples: [],
      spans: spans.slice(1),
    });
    expect((await store.plan("b"))?.plan.rows).toBe(5);
    expect(await store.laneSpans("b")).toEqual(spans.slice(1));
    await test.stage("b", 1);
    await store.putPlan({ runId: "b", plan, samples: [], spans });
    expect((await store.plan("b"))?.plan.rows).toBe(5);
    expect(await store.plan("another")).toBeUndefined();
    expect(await store.laneSpans("another")).toEqual([]);
  });

  it("begins and ends each lane where its span does", async () => {
    expect(await store.beginStaging({ runId: "b", chunk: 1, host: "h" })).toMatchObject(
      spans[0] ?? {},
    );
    expect(await store.beginStaging({ runId: "b", chunk: second, host: "h" })).toMatchObject(
      spans[1] ?? {},
    );
    await store.finishStage({ runId: "b", chunk: second, stage: 1, ...staged });
    const next = await store.beginStaging({ runId: "b", chunk: second + 1, host: "h" });
    expect(next).toMatchObject({ from: staged.to, to: { row: 20 } });
  });

  it("commits lanes beside each other, each in its own order, and leaves the checkpoint alone", async () => {
    await test.stage("b", 1);
    await test.stage("b", 2);
    await test.stage("b", second);
    await test.accept("b", 2, 1);
    await test.accept("b", second, 1);
    await store.commitChunk({ runId: "b", chunk: second, stage: 1, at });
    const early = store.commitChunk({ runId: "b", chunk: 2, stage: 1, at });
    await expect(early).rejects.toThrow("the chunk before is not committed");
    await test.accept("b", 1, 1);
    await store.commitChunk({ runId: "b", chunk: 1, stage: 1, at });
    await store.commitChunk({ runId: "b", chunk: 2, stage: 1, at });
    expect(await store.checkpoint(name)).toMatchObject({ version: 0, position: null });
    expect(await store.tally({ runId: "b", staged: false })).toMatchObject({ read: 30, sent: 30 });
  });

  it("gives up a lane's own chunks alone when one of them is staged again", async () => {
    await test.stage("b", 1);
    await test.stage("b", 2);
    await test.stage("b", second);
    const rejects = [
      { stream: "account", place: "f:1", step: "map", code: "x", reason: "r" },
    ] as const;
    await store.beginStaging({ runId: "b", chunk: second + 1, host: "h" });
    await store.addRejects({
      runId: "b",
      chunk: second + 1,
      stage: 1,
      rejects: rejects.slice(),
      at,
    });
    await test.stage("b", 1);
    expect((await store.staging({ runId: "b", chunk: 2, stage: 1 }))?.state).toBe("dropped");
    expect((await store.staging({ runId: "b", chunk: second, stage: 1 }))?.state).toBe("staged");
    expect(await store.rejects({ runId: "b", limit: 10 })).toHaveLength(1);
  });

  it("gives an example of rejects that only the last lane met", async () => {
    const chunk = firstChunkOf(16);
    await store.putPlan({
      runId: "b",
      plan,
      samples: [],
      spans: Array.from({ length: 16 }, () => span),
    });
    await store.beginStaging({ runId: "b", chunk, host: "h" });
    const reject = {
      stream: "account",
      place: "f:1",
      step: "map",
      code: "x",
      field: "domain",
      reason: "r",
    } as const;
    await store.addRejects({ runId: "b", chunk, stage: 1, rejects: [reject], at });
    const [reason] = await store.rejectReasons({ runId: "b", limit: 5 });
    expect(reason).toMatchObject({
      code: "x",
      count: 1,
      chunk,
      ordinal: 1,
      place: "f:1",
      field: "domain",
    });
  });

  it("stages nothing of a lane that has no span", async () => {
    const lost = store.beginStaging({ runId: "b", chunk: firstChunkOf(3), host: "h" });
    await expect(lost).rejects.toThrow(SupersededError);
  });

  it("counts what other lanes read and rejected against the limit", async () => {
    await test.stage("b", second);
    expect(await store.totalsBefore({ runId: "b", chunk: 1 })).toMatchObject({
      read: 10,
      rejected: 0,
    });
    await test.stage("b", 1);
    expect(await store.totalsBefore({ runId: "b", chunk: 1 })).toMatchObject({
      read: 10,
      rejected: 0,
    });
    expect(await store.totalsBefore({ runId: "b", chunk: 2 })).toMatchObject({
      read: 20,
      rejected: 0,
    });
  });
});

describe.each(someOf(implementations, 2))("a lock that a backfill yields: $kind", ({ open }) => {
  let store: StateStore;
  const ask = { name: "sync a", at };
  const backfill = holder("b", "backfill");
  const night = holder("n", "sync");

  beforeEach(async () => {
    ({ store } = await StoreUnderTest.open(open));
  });

  it("is wanted of a backfill alone, and goes to the one that waits first", async () => {
    expect(await store.wantLock({ ...ask, ...night })).toBe(false);
    await store.takeLock({ ...ask, ...backfill });
    expect(await store.isLockWanted("sync a")).toBe(false);
    expect(await store.wantLock({ ...ask, ...night })).toBe(true);
    expect(await store.isLockWanted("sync a")).toBe(true);
    await store.releaseLock({ name: "sync a", runId: backfill.runId });
    expect(await store.takeLock({ ...ask, ...backfill })).toEqual({ holder: night });
    expect(await store.takeLock({ ...ask, ...night })).toEqual({ fence: 2 });
    expect(await store.isLockWanted("sync a")).toBe(false);
    expect(await store.takeLock({ ...ask, ...backfill })).toEqual({ holder: night });
    expect(await store.wantLock({ ...ask, ...holder("m", "sync") })).toBe(false);
    await store.releaseLock({ name: "sync a", runId: night.runId });
    expect(await store.takeLock({ ...ask, ...backfill })).toEqual({ fence: 3 });
  });

  it("is taken again when the one that waited is found closed", async () => {
    await store.takeLock({ ...ask, ...backfill });
    await store.wantLock({ ...ask, ...night });
    await store.releaseLock({ name: "sync a", runId: backfill.runId });
    const again = await store.takeLock({ ...ask, ...backfill, insteadOf: night });
    expect(again).toEqual({ fence: 2 });
  });

  it("is taken when both the holder and the one that waited are found closed", async () => {
    await store.takeLock({ ...ask, ...backfill });
    await store.wantLock({ ...ask, ...night });
    const next = { ...ask, ...holder("c", "backfill") };
    expect(await store.takeLock({ ...next, insteadOf: backfill })).toEqual({ holder: night });
    expect(await store.takeLock({ ...next, insteadOf: night })).toEqual({ fence: 2 });
  });

  it("is not waited for by one that another run was quicker than", async () => {
    await store.takeLock({ ...ask, ...backfill });
    await store.wantLock({ ...ask, ...night });
    await store.releaseLock({ name: "sync a", runId: backfill.runId });
    await store.takeLock({ ...ask, ...holder("drain", "inbox") });
    expect(await store.takeLock({ ...ask, ...night })).toEqual({
      holder: holder("drain", "inbox"),
    });
    await store.releaseLock({ name: "sync a", runId: "drain" });
    expect(await store.takeLock({ ...ask, ...backfill })).toEqual({ fence: 3 });
  });

  it("keeps a second one waiting after the first, who took it", async () => {
    await store.takeLock({ ...ask, ...backfill });
    await store.wantLock({ ...ask, ...night });
    await store.releaseLock({ name: "sync a", runId: backfill.runId });
    await store.takeLock({ ...ask, ...holder("drain", "inbox") });
    await store.releaseLock({ name: "sync a", runId: "drain" });
    expect(await store.takeLock({ ...ask, ...backfill })).toEqual({ holder: night });
  });

  it("lets what a yielded holding drew stage nothing any more", async () => {
    const test = await StoreUnderTest.open(open);
    await test.openRun("b", "backfill");
    await test.store.releaseLock({ name: "lock of b", runId: "b" });
    await expect(test.store.beginStaging({ runId: "b", chunk: 1, host: "h" })).rejects.toThrow(
      SupersededError,
    );
  });
});
