import { describe, expect, it } from "vitest";

import { hostForgottenMs } from "../../../src/limits.ts";
import { implementations, nowMs, StoreUnderTest } from "./store-under-test.ts";

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
    expect(await store.beats({ since: nowMs + 10 })).toEqual([beatOf("1", nowMs + 10)]);
    expect(await store.beats({ since: nowMs + 5 })).toHaveLength(2);
  });

  it("forgets a worker that stopped in order at once, and a silent one after a day", async () => {
    const { store } = await StoreUnderTest.open(open);
    await store.beat(beatOf("1", nowMs));
    await store.beat(beatOf("2", nowMs));
    await store.stopBeating(beatOf("2", nowMs));
    expect(await store.beats({ since: 0 })).toEqual([beatOf("1", nowMs)]);
    await store.beat(beatOf("3", nowMs + hostForgottenMs));
    expect(await store.beats({ since: 0 })).toHaveLength(2);
    await store.beat(beatOf("3", nowMs + hostForgottenMs + 1));
    expect(await store.beats({ since: 0 })).toHaveLength(1);
  });
});
