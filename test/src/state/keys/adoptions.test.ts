import { beforeEach, describe, expect, it } from "vitest";

import { hashBytes, isSent } from "../../../../src/state/contract/keys/fingerprints.ts";
import type { StateStore } from "../../../../src/state/state-store.ts";
import { textBlockOf } from "../../../../src/state/text-block.ts";
import { at, implementations, name, StoreUnderTest } from "../store-under-test.ts";

function hashesOf(...values: readonly number[]): Uint8Array {
  return Uint8Array.from(values.flatMap((value) => Array.from({ length: hashBytes }, () => value)));
}

function fieldsOf(...hashes: readonly number[]): { fieldBytes: number; hashes: Uint8Array } {
  return { fieldBytes: 4, hashes: new Uint8Array(Uint32Array.from(hashes).buffer) };
}

describe.each(implementations)("adoptions: $kind", ({ open }) => {
  let test: StoreUnderTest;
  let store: StateStore;

  /** Sends keys, each with a record of this hash, in a run of its own. */
  const send = async (runId: string, keys: readonly string[], value: number): Promise<void> => {
    await test.openRun(runId);
    const { stage, send: number } = await store.beginStaging({ runId, chunk: 1, host: "h" });
    const ref = { runId, chunk: 1, stage };
    const hashes = hashesOf(...keys.map(() => value));
    const judged = { ...ref, send: number, keys, hashes, full: true };
    const { leaving: ids, verdicts } = await test.stageKeys(judged);
    const kept = { ...name, ...ref, ids, verdicts: verdicts.filter(isSent) };
    await store.keepFields({ ...kept, ...fieldsOf(...keys.map(() => value)) });
    await test.commit(ref);
    await store.endRun({ runId, outcome: "done", endedAt: at });
  };
  const known = async (...keys: readonly string[]): Promise<unknown[]> => {
    const found = await store.knownRecords({ ...name, keys });
    return found.map((one) =>
      one.state === "accepted"
        ? [one.hash[0], one.fields?.[0]?.hash, one.adopted?.reason]
        : one.state,
    );
  };
  const texts = async (): Promise<unknown[]> =>
    (await store.keptMappings(name)).map(({ written }) => written);
  const begin = async (): Promise<number> =>
    await store.beginAdoption({ ...name, fields: ["x"], reason: "why", at });
  const adopt = async (
    adoption: number,
    keys: readonly string[],
    [before, after]: readonly [number, number],
  ): Promise<number> =>
    await store.adoptRecords({
      ...name,
      adoption,
      keys,
      before: hashesOf(...keys.map(() => before)),
      after: hashesOf(...keys.map(() => after)),
      ...fieldsOf(...keys.map(() => after)),
    });

  beforeEach(async () => {
    test = await StoreUnderTest.open(open);
    ({ store } = test);
    await store.fieldSlots({ ...name, names: ["x"] });
    await send("r1", ["a", "b"], 1);
    await send("r2", ["c"], 2);
  });

  it("take a record only where exactly the one before is known, and say so of it", async () => {
    const adoption = await begin();
    expect(await adopt(adoption, ["a", "b", "c", "d"], [1, 5])).toBe(2);
    expect(await known("a", "b", "c", "d")).toEqual([
      [5, 5, "why"],
      [5, 5, "why"],
      [2, 2, undefined],
      "new",
    ]);
    const judged = { runId: "", chunk: 0, stage: 0, send: 0, full: false, rejectDuplicates: false };
    const verdicts = await store.judgeKeys({
      ...name,
      ...judged,
      keys: textBlockOf(["a", "c"]),
      hashes: hashesOf(5, 5),
      rowNumbers: new Uint32Array(2),
    });
    expect([...verdicts].map(isSent)).toEqual([false, true]);
    expect(await store.adoptions(name)).toEqual([
      { id: adoption, fields: ["x"], reason: "why", records: 2, adoptedAt: at, undoneAt: null },
    ]);
  });

  it("give back one after the other what was known, but of no key that was sent since", async () => {
    const first = await begin();
    await adopt(first, ["a", "b"], [1, 5]);
    const second = await begin();
    await adopt(second, ["a", "b"], [5, 6]);
    await send("r3", ["b"], 7);
    expect(await store.undoAdoption({ ...name, adoption: second, at })).toBe(1);
    expect(await known("a", "b")).toEqual([
      [5, 5, "why"],
      [7, 7, undefined],
    ]);
    expect(await store.undoAdoption({ ...name, adoption: first, at })).toBe(1);
    expect(await known("a", "b")).toEqual([
      [1, 1, undefined],
      [7, 7, undefined],
    ]);
    expect(await store.undoAdoption({ ...name, adoption: first, at })).toBe(0);
    expect((await store.adoptions(name)).map(({ undoneAt }) => undoneAt)).toEqual([at, at]);
  });

  it("tell the fields of each that a record was taken by since it was sent", async () => {
    const fieldsOfRecords = async (): Promise<unknown[]> =>
      (await store.knownRecords({ ...name, keys: ["a", "b", "c"] })).map((one) =>
        one.state === "accepted" ? one.adopted?.fields.toSorted() : one.state,
      );
    const of = { ...name, reason: "why", at };
    await adopt(await store.beginAdoption({ ...of, fields: ["x", "y"] }), ["a", "b"], [1, 5]);
    const second = await store.beginAdoption({ ...of, fields: ["y", "z"] });
    await adopt(second, ["a"], [5, 6]);
    expect(await fieldsOfRecords()).toEqual([["x", "y", "z"], ["x", "y"], undefined]);
    await store.undoAdoption({ ...name, adoption: second, at });
    await send("r3", ["b"], 7);
    expect(await fieldsOfRecords()).toEqual([["x", "y"], undefined, undefined]);
  });

  it("are not given back of a key that was sent since as it was adopted, or adopted again", async () => {
    const first = await begin();
    await adopt(first, ["a", "b"], [1, 5]);
    await send("r3", ["b"], 5);
    await adopt(await begin(), ["a"], [5, 6]);
    expect(await store.undoAdoption({ ...name, adoption: first, at })).toBe(0);
    expect(await known("a", "b")).toEqual([
      [6, 6, "why"],
      [5, 5, undefined],
    ]);
  });

  it("give nothing back of what was forgotten since, and count none of it", async () => {
    const adoption = await begin();
    await adopt(adoption, ["a", "b"], [1, 5]);
    await store.forgetFingerprints(name);
    expect(await store.undoAdoption({ ...name, adoption, at })).toBe(0);
    expect(await known("a", "b")).toEqual(["unknown", "unknown"]);
  });

  it("take nothing while a run is open or held, nor of what was forgotten", async () => {
    const adoption = await begin();
    await test.openRun("r3");
    await expect(adopt(adoption, ["a"], [1, 5])).rejects.toThrow("run r3 of sync accounts is open");
    const hold = { number: 1, digest: "0123", since: at, broken: [], approvedAt: null };
    await store.setHold({ runId: "r3", hold });
    const held = {
      message: "run r3 of sync accounts is held",
      hint: "`sluice approve r3` or `sluice discard r3` first",
    };
    await expect(begin()).rejects.toMatchObject(held);
    await expect(adopt(adoption, ["a"], [1, 5])).rejects.toMatchObject(held);
    await expect(store.undoAdoption({ ...name, adoption, at })).rejects.toMatchObject(held);
    await store.endRun({ runId: "r3", outcome: "done", endedAt: at });
    await store.forgetFingerprints(name);
    expect(await adopt(adoption, ["a"], [1, 5])).toBe(0);
  });

  it("keep the mappings of a sync, and which one was accepted last", async () => {
    await test.openRun("m1");
    for (const mapping of ["two", "one"]) {
      await store.keepMapping({ ...name, mapping, written: `{"${mapping}":1}` });
    }
    expect((await store.keptMappings(name)).map(({ deployed }) => deployed)).toEqual([0, 0]);
    const { stage } = await store.beginStaging({ runId: "m1", chunk: 1, host: "h" });
    await test.commit({ runId: "m1", chunk: 1, stage }, { mapping: "one" });
    await store.keepMapping({ ...name, mapping: "two", written: '{"two":2}' });
    expect(await store.keptMappings(name)).toEqual([
      { mapping: "one", written: '{"one":1}', deployed: expect.any(Number) as unknown },
      { mapping: "two", written: '{"two":2}', deployed: 0 },
    ]);
  });

  it("keep the text of a mapping as it made what was accepted, until a run of another text sends", async () => {
    for (const [runId, written] of Object.entries({ m1: "first", m2: "second" })) {
      const before = await texts();
      await test.openRun(runId, "sync", { mapping: "one", written });
      expect(await texts()).toEqual(runId === "m1" ? ["first"] : before);
      const { stage } = await store.beginStaging({ runId, chunk: 1, host: "h" });
      await test.commit({ runId, chunk: 1, stage }, { mapping: "one" });
      await store.endRun({ runId, outcome: "done", endedAt: at });
      expect(await texts()).toEqual([written]);
    }
    await test.openRun("m3", "sync", { mapping: "module", written: null });
    expect(await texts()).toEqual(["second", null]);
  });
});
