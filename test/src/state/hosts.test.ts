import { describe, expect, it } from "vitest";

import { hostBeatMs, hostForgottenMs } from "../../../src/state/limits.ts";
import { at, implementations, nowMs, StoreUnderTest } from "./store-under-test.ts";

function beatOf(process: string, lastBeat: number): Parameters<StoreUnderTest["store"]["beat"]>[0] {
  const told = {
    name: `host - ${process} 1`,
    command: "dev",
    configs: { "sync accounts": "c0ffee" },
  };
  return { hostId: "host", process, temporalId: "t", lastBeat, version: "1", ...told };
}

describe.each(implementations)("hosts of $kind", ({ open }) => {
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
    // Another's clock is behind, and says nothing of when anybody worked.
    await store.beat(beatOf("2", nowMs));
    expect(await idleOf("r1")).toBe(0);
    await store.stopBeating(beatOf("1", nowMs));
    await store.beat(beatOf("3", nowMs + 10 * hostBeatMs));
    // What was done until the next beat would have come is not a rest.
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
});
