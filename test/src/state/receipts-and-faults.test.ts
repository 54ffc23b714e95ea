import { beforeEach, describe, expect, it } from "vitest";

import type { FaultName } from "../../../src/state/contract/sends/faults.ts";
import type { PartName } from "../../../src/state/contract/sends/receipts.ts";
import { faultForgottenMs } from "../../../src/state/limits.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import { someOf } from "../../support/trials.ts";
import { at, implementations, StoreUnderTest } from "./store-under-test.ts";

function partOf(chunk: number): PartName & { readonly at: string; readonly host: string } {
  return { runId: "r1", chunk, stage: 1, part: 0, host: "h", at };
}

function faultOf(fault: string): FaultName {
  return { runId: "r1", chunk: 1, fault };
}

describe.each(someOf(implementations, 2))("receipts and faults: $kind", ({ open }) => {
  let test: StoreUnderTest;
  let store: StateStore;

  beforeEach(async () => {
    test = await StoreUnderTest.open(open);
    ({ store } = test);
  });

  it("counts a part that is split while its outcome is unknown", async () => {
    await test.openRun("r1");
    await test.stage("r1", 1);
    const part = { runId: "r1", chunk: 1, stage: 1, part: 0, host: "h", at };
    const split = { ...part, parts: [], rejects: [], isTooLarge: false };
    await store.beginPart({ ...part, form: "body" });
    await store.splitPart(split);
    expect((await store.run("r1"))?.possiblyRepeated).toBe(6);
    await store.splitPart(split);
    expect((await store.run("r1"))?.possiblyRepeated).toBe(6);
  });

  it("leaves a part alone that was accepted before it could be split", async () => {
    await test.openRun("r1");
    await test.stage("r1", 1);
    await test.accept("r1", 1, 1);
    const part = { runId: "r1", chunk: 1, stage: 1, part: 0, host: "h", at };
    const split = { ...part, parts: [], rejects: [], isTooLarge: false };
    expect(await store.splitPart(split)).toEqual({ parts: [] });
    expect(await store.receipt(part)).toMatchObject({ state: "accepted" });
    await store.commitChunk({ runId: "r1", chunk: 1, stage: 1, at });
  });

  it("gives a file key to one part alone, and again to that part", async () => {
    await test.openRun("r1");
    await test.stage("r1", 1);
    await test.stage("r1", 2);
    const [one, two] = [1, 2].map((chunk) => ({ runId: "r1", chunk, stage: 1, part: 0, at }));
    if (one === undefined || two === undefined) throw new Error("two parts were made");
    for (const part of [one, two]) await store.beginPart({ ...part, form: "file", host: "h" });
    expect(await store.claimKey({ ...one, attempts: 1, fileKey: "k" })).toBe(true);
    expect(await store.claimKey({ ...one, attempts: 1, fileKey: "k" })).toBe(true);
    expect(await store.claimKey({ ...two, attempts: 1, fileKey: "k" })).toBe(false);
    expect(await store.receipt(two)).toMatchObject({ fileKey: null });
    // An attempt that another has replaced claims nothing.
    await store.beginPart({ ...one, form: "file", host: "h" });
    await store.claimKey({ ...one, attempts: 1, fileKey: "stale" });
    expect(await store.receipt(one)).toMatchObject({ fileKey: "k" });
  });

  it("does not begin a part that is not smaller than one that was too large", async () => {
    await test.openRun("r1");
    await test.stage("r1", 1);
    await test.stage("r1", 2);
    await store.beginPart({ ...partOf(1), form: "file" });
    await store.splitPart({ ...partOf(1), parts: [], rejects: [], isTooLarge: true });
    expect(await store.beginPart({ ...partOf(2), form: "file" })).toMatchObject({
      state: "staged",
    });
    expect(await store.beginPart({ ...partOf(2), part: 1, form: "body" })).toMatchObject({
      state: "sending",
    });
  });

  it("counts the faults of a chunk apart, until a part of it gets on", async () => {
    await test.openRun("r1");
    await test.stage("r1", 1);
    expect(await store.countFault({ ...faultOf("a"), now: { nowMs: 100 } })).toEqual({
      times: 1,
      forMs: 0,
    });
    expect(await store.countFault({ ...faultOf("a"), now: { nowMs: 350 } })).toEqual({
      times: 2,
      forMs: 250,
    });
    expect(await store.countFault({ ...faultOf("b"), now: { nowMs: 400 } })).toEqual({
      times: 1,
      forMs: 0,
    });
    expect(await store.faultTimes({ ...faultOf("a"), chunk: 2 })).toBe(0);
    expect(await store.countFault({ ...faultOf("b"), now: { nowMs: 7 } })).toEqual({
      times: 2,
      forMs: 0,
    });
    await store.clearFault(faultOf("b"));
    expect(await store.faultTimes(faultOf("b"))).toBe(0);
    expect(await store.faultTimes(faultOf("a"))).toBe(2);
    await test.accept("r1", 1, 1);
    expect(await store.faultTimes(faultOf("a"))).toBe(0);
  });

  it("counts a fault anew that the chunk had not met for longer than ten minutes", async () => {
    await test.openRun("r1");
    const now = { nowMs: 0 };
    const met = { ...faultOf("a"), now };
    await store.countFault(met);
    now.nowMs += faultForgottenMs;
    expect(await store.countFault(met)).toEqual({ times: 2, forMs: faultForgottenMs });
    now.nowMs += faultForgottenMs + 1;
    expect(await store.countFault(met)).toEqual({ times: 1, forMs: 0 });
  });

  it("forgets the faults of a chunk with an upload, and not with a confirm that is refused", async () => {
    await test.openRun("r1");
    await test.stage("r1", 1);
    await store.beginPart({ ...partOf(1), form: "file" });
    await store.countFault({ ...faultOf("a"), now: { nowMs: 1 } });
    await store.movePart({ ...partOf(1), attempts: 1, state: "uploaded", fileKey: "k" });
    expect(await store.faultTimes(faultOf("a"))).toBe(0);
    await store.beginPart({ ...partOf(1), form: "file", confirm: "k" });
    await store.countFault({ ...faultOf("a"), now: { nowMs: 2 } });
    await store.movePart({ ...partOf(1), attempts: 2, state: "uploaded" });
    expect(await store.faultTimes(faultOf("a"))).toBe(1);
  });
});
