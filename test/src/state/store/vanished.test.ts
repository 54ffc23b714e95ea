import * as fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";

import { trials } from "../../../support/trials.ts";
import { keyImplementations } from "../keys/key-implementations.ts";
import { at, name, nowMs, StoreUnderTest } from "../store-under-test.ts";

const now = { nowMs };

/** A run that reads everything: the keys that it reads and rejects, and how it ends. */
type Reading = {
  readonly keys: readonly string[];
  readonly rejects?: readonly string[];
  readonly ends?: "dropped" | "failed" | "whole";
};

const allKeys = ["a", "b", "c", "d", "e", "é", "a\u0001", "h", "i", "j", "k", "l"] as const;

const anyReading: fc.Arbitrary<Required<Reading>> = fc.record({
  keys: fc.subarray([...allKeys]),
  rejects: fc.subarray([...allKeys], { maxLength: 2 }),
  ends: fc.constantFrom("whole", "whole", "whole", "dropped", "failed"),
});

describe.each(keyImplementations)("what is not in a source any more: $kind", ({ kind, open }) => {
  let test: StoreUnderTest;
  let runs = 0;

  beforeEach(async () => {
    test = await StoreUnderTest.open(open);
    runs = 0;
  });

  const stage = async ({
    keys,
    rejects = [],
  }: Reading): Promise<{ runId: string; stage: number }> => {
    const runId = `r${(runs += 1)}`;
    await test.openRun(runId);
    const { stage: drawn, send } = await test.store.beginStaging({ runId, chunk: 1, host: "h" });
    const ref = { runId, chunk: 1, stage: drawn };
    // In two transactions, the later half first: a source need not have any order.
    const middle = keys.length >> 1;
    for (const some of [keys.slice(middle), keys.slice(0, middle)]) {
      await test.stageKeys({ ...ref, send, keys: some });
    }
    const reject = { stream: "account", place: "a.csv:2", step: "map", code: "required" } as const;
    await test.store.addRejects({
      ...ref,
      at,
      rejects: rejects.map((key) => ({ ...reject, reason: "empty", key })),
    });
    return { runId, stage: drawn };
  };

  const read = async (reading: Reading): Promise<{ counted: unknown; runId: string }> => {
    const { runId, stage: drawn } = await stage(reading);
    const { ends = "whole" } = reading;
    const counted = await test.store.countVanished({ runId });
    if (ends === "dropped") await test.store.dropStagings({ runId });
    else await test.commit({ runId, chunk: 1, stage: drawn }, { keys: "[]" });
    if (ends === "whole") await test.store.keepReading({ runId, at });
    const outcome = ends === "whole" ? "done" : "failed";
    await test.store.endRun({ runId, outcome, endedAt: at });
    return { counted, runId };
  };

  const vanishedOf = async (runId: string): Promise<number | null | undefined> =>
    (await test.store.run(runId))?.vanished;

  const goneSince = async (): Promise<Record<string, string | undefined>> => {
    const gone = await test.store.goneSince({ ...name, keys: allKeys });
    return Object.fromEntries(allKeys.map((key, index) => [key, gone[index]?.runId]));
  };

  it("is what the last whole reading had and this one has not, and is told once", async () => {
    expect((await read({ keys: ["a", "b", "c"] })).counted).toBeUndefined();
    expect(await vanishedOf("r1")).toBeNull();
    expect((await read({ keys: ["c", "d"] })).counted).toEqual({ vanished: 2, of: 3 });
    expect(await vanishedOf("r2")).toBe(2);
    expect((await read({ keys: ["c", "d"] })).counted).toEqual({ vanished: 0, of: 2 });
    expect(await test.store.goneSince({ ...name, keys: ["a", "d", "never"] })).toEqual([
      { runId: "r2", at },
      null,
      null,
    ]);
  });

  it("is not a key whose row is rejected, and one that came back is gone no more", async () => {
    await read({ keys: ["a", "b"] });
    expect((await read({ keys: ["a"], rejects: ["b", "never"] })).counted).toMatchObject({
      vanished: 0,
    });
    await read({ keys: ["a"] });
    expect(await goneSince()).toMatchObject({ a: undefined, b: "r3" });
    await read({ keys: ["a", "b"] });
    expect(await goneSince()).toMatchObject({ a: undefined, b: undefined });
  });

  it("counts against a run that came to its end, and the same again when that is kept twice", async () => {
    await read({ keys: ["a", "b"] });
    await read({ keys: ["a"], ends: "failed" });
    await read({ keys: [], ends: "dropped" });
    const { counted, runId } = await read({ keys: ["b"] });
    expect(counted).toEqual({ vanished: 1, of: 2 });
    await test.store.keepReading({ runId, at: "2026-02-01T00:00:00.000Z" });
    expect([await vanishedOf(runId), await goneSince()]).toMatchObject([1, { a: runId }]);
  });

  it("is told by no run that has ended, whose worker is only late", async () => {
    await read({ keys: ["a", "b"] });
    const { runId } = await read({ keys: ["a"] });
    await read({ keys: ["b"] });
    await test.store.keepReading({ runId, at });
    expect(await test.store.countVanished({ runId })).toBeUndefined();
    expect([await vanishedOf(runId), await goneSince()]).toMatchObject([
      1,
      { a: "r3", b: undefined },
    ]);
    expect((await read({ keys: ["b"] })).counted).toEqual({ vanished: 0, of: 1 });
  });

  it("is no key that was forgotten by a person's word", async () => {
    await read({ keys: ["a", "b", "c"] });
    await test.store.eraseKey({ ...name, key: "a", now });
    await test.store.forgetKeys({ ...name, keys: ["b"] });
    expect((await read({ keys: ["b"] })).counted).toEqual({ vanished: 1, of: 1 });
    await test.store.eraseKey({ ...name, key: "c", now });
    expect(await goneSince()).toMatchObject({ c: undefined });
  });

  it("is found among others by its own id, and not by bytes that lie across two", async () => {
    const keys = Array.from({ length: 600 }, (_, index) => `k${index}`);
    // In the order of their ids: a staging sees the later half first.
    const byId = [...keys.slice(300), ...keys.slice(0, 300)];
    // Next to the first ids, the bytes of id 512 occur across two of them; the longer gap also includes the id itself.
    const few = byId.slice(0, 3);
    const many = [...few, ...byId.slice(250, 520)];
    const asked = byId.filter((_, index) => index % 256 < 4 || index % 256 > 252);
    for (const missing of [few, many]) {
      await read({ keys });
      const { runId } = await read({ keys: keys.filter((key) => !missing.includes(key)) });
      const gone = await test.store.goneSince({ ...name, keys: asked });
      expect(gone).toEqual(asked.map((key) => (missing.includes(key) ? { runId, at } : null)));
    }
  });

  it("is as an oracle has it that compares the readings key by key", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyReading, { minLength: 2, maxLength: 6 }), async (readings) => {
        test = await StoreUnderTest.open(open);
        runs = 0;
        const ever = new Set<string>();
        let before: ReadonlySet<string> | undefined;
        const gone = new Map<string, string>();
        for (const reading of readings) {
          const { keys, rejects, ends } = reading;
          const { counted, runId } = await read(reading);
          // Nothing is known of a key that is rejected and was never accepted.
          if (ends !== "dropped") for (const key of keys) ever.add(key);
          const there = new Set([...keys, ...rejects.filter((key) => ever.has(key))]);
          const missing = [...(before ?? [])].filter((key) => !there.has(key));
          expect(counted).toEqual(before && { vanished: missing.length, of: before.size });
          if (ends !== "whole") continue;
          for (const key of there) gone.delete(key);
          for (const key of missing) gone.set(key, runId);
          before = there;
        }
        expect(await goneSince()).toEqual(
          Object.fromEntries(allKeys.map((key) => [key, gone.get(key)])),
        );
      }),
      { numRuns: trials(kind === "sqlite" ? 4 : 2) },
    );
  });
});
