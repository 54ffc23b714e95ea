import { describe, expect, it } from "vitest";

import { hostBeatMs, hostForgottenMs } from "../../../src/state/limits.ts";
import { someOf } from "../../support/trials.ts";
import { at, implementations, nowMs, StoreUnderTest } from "./store-under-test.ts";

function beatOf(process: string, lastBeat: number): Parameters<StoreUnderTest["store"]["beat"]>[0] {
  const told = {
    name: `host - ${process} 1`,
    command: "dev",
    configs: { "sync accounts": "c0ffee" },
    folder: "boot/1:2",
  };
  return { hostId: "host", process, temporalId: "t", lastBeat, version: "1", ...told };
}

describe.each(someOf(implementations, 2))("hosts of $kind", ({ open }) => {
  it("keeps the latest beat of each worker, and tells those since a time", async () => {
    const { store } = await StoreUnderTest.open(open);
    await store.beat(beatOf("1", nowMs));
    await store.beat(beatOf("2", nowMs + 5));
    await store.beat(beatOf("1", nowMs + 10));
    expect(await store.beats({ nowMs: nowMs + 10, withinMs: 0 })).toEqual([
      beatOf("1", nowMs + 10),
    ]);
    expect(await store.beats({ nowMs: nowMs + 10, withinMs: 5 })).toHaveLength(2);
  });

  it("tells open runs how long no worker ran, and nothing while one did", async () => {
    const test = await StoreUnderTest.open(open);
    const { store } = test;
    const idleOf = async (runId: string): Promise<number | undefined> =>
      (await store.run(runId))?.idleMs;
    await store.beat(beatOf("1", nowMs));
    await test.openRun("r1");
    await test.openRun("r2");
    await store.endRun({ runId: "r2", outcome: "done", endedAt: at });
    await store.beat(beatOf("1", nowMs + 2 * hostBeatMs));
    // The other host's clock is behind, and does not say when anybody worked.
    await store.beat(beatOf("2", nowMs));
    expect(await idleOf("r1")).toBe(0);
    await store.stopBeating(beatOf("1", nowMs));
    await store.beat(beatOf("3", nowMs + 10 * hostBeatMs));
    // The time until the next beat would have come does not count as idle.
    expect(await idleOf("r1")).toBe(7 * hostBeatMs);
    expect(await idleOf("r2")).toBe(0);
  });

  it("forgets a worker that stopped in order at once, and a silent one after a day", async () => {
    const { store } = await StoreUnderTest.open(open);
    await store.beat(beatOf("1", nowMs));
    await store.beat(beatOf("2", nowMs));
    await store.stopBeating(beatOf("2", nowMs));
    expect(await store.beats({ nowMs, withinMs: nowMs })).toEqual([beatOf("1", nowMs)]);
    await store.beat(beatOf("3", nowMs + hostForgottenMs));
    expect(await store.beats({ nowMs, withinMs: nowMs })).toHaveLength(2);
    await store.beat(beatOf("3", nowMs + hostForgottenMs + 1));
    expect(await store.beats({ nowMs, withinMs: nowMs })).toHaveLength(1);
  });

  it("gives a lane the host with the fewest lanes of runs that hold a lock, and the first of several", async () => {
    const test = await StoreUnderTest.open(open);
    const { store } = test;
    for (const runId of ["r1", "r2", "r3"]) await test.openRun(runId);
    const choose = async (runId: string, lane = 1, over?: readonly number[]): Promise<string> =>
      await store.chooseHost({ runId, lane, over, hosts: ["a", "b"] });
    expect([await choose("r1"), await choose("r2"), await choose("r3")]).toEqual(["a", "b", "a"]);
    // Its earlier host does not affect the choice.
    expect(await choose("r3")).toBe("a");
    await store.releaseLock({ name: "lock of r1", runId: "r1" });
    await store.releaseLock({ name: "lock of r3", runId: "r3" });
    expect([await choose("r2", 2), await choose("r2", 3)]).toEqual(["a", "a"]);
    // A finished lane makes room for the next one.
    expect(await choose("r2", 4, [2, 3])).toBe("a");
    expect(await store.chooseHost({ runId: "r2", lane: 5, hosts: ["c"] })).toBe("c");
  });

  it("remembers the Temporal that was told first, until it is rebound", async () => {
    const { store } = await StoreUnderTest.open(open);
    const [one, other] = ["1", "2"].map((id) => ({ id, at: `t${id}:7233`, namespace: "default" }));
    if (one === undefined || other === undefined) throw new Error("there are two");
    expect(await store.bindTemporal({ temporal: one, isRebound: false })).toEqual(one);
    expect(await store.bindTemporal({ temporal: other, isRebound: false })).toEqual(one);
    expect(await store.bindTemporal({ temporal: other, isRebound: true })).toEqual(other);
    expect(await store.bindTemporal({ temporal: one, isRebound: false })).toEqual(other);
  });
});
