import { beforeEach, describe, expect, it } from "vitest";

import { fieldSlotsMax } from "../../../../src/limits.ts";
import { hashBytes } from "../../../../src/state/contract/keys/fingerprints.ts";
import type { KnownRecord } from "../../../../src/state/contract/keys/known-records.ts";
import type { StateStore } from "../../../../src/state/state-store.ts";
import { numbers } from "../../../support/sequences.ts";
import { at, implementations, name, nowMs, staged, StoreUnderTest } from "../store-under-test.ts";

const settings = { full: false, rejectDuplicates: false, dryRun: false };

/** The block of one record: a hash for each slot. */
function fieldsOf(...hashes: readonly number[]): { fieldBytes: number; hashes: Uint8Array } {
  const block = new Uint8Array(Uint32Array.from(hashes).buffer);
  return { fieldBytes: block.length, hashes: block };
}

describe.each(implementations)("known records: $kind", ({ open }) => {
  let test: StoreUnderTest;
  let store: StateStore;

  beforeEach(async () => {
    test = await StoreUnderTest.open(open);
    ({ store } = test);
    await test.openRun("r1");
  });

  const known = async (...keys: readonly string[]): Promise<KnownRecord[]> =>
    await store.knownRecords({ ...name, keys });
  /** Stages one key with the hashes of its fields. */
  const stage = async (key: string, fields?: object): Promise<{ runId: string; stage: number }> => {
    const drawn = await store.beginStaging({ runId: "r1", chunk: 1, host: "h" });
    const ref = { runId: "r1", chunk: 1, stage: drawn.stage };
    const hashes = new Uint8Array(hashBytes).fill(7);
    await store.stageKeys({
      ...name,
      ...ref,
      ...settings,
      ...fields,
      send: drawn.send,
      keys: [key],
      rowNumbers: new Uint32Array(1),
      hashes,
    });
    return ref;
  };
  const commit = async ({ stage: number }: { stage: number }): Promise<void> => {
    await store.finishStage({ runId: "r1", chunk: 1, stage: number, ...staged });
    await test.accept("r1", 1, number);
    await store.commitChunk({ runId: "r1", chunk: 1, stage: number, at });
  };

  it("gives each new field the next slot, and keeps them for the sync", async () => {
    expect(await store.fieldSlots({ ...name, names: [] })).toEqual([]);
    await store.fieldSlots({ ...name, names: ["b", "a", "b"] });
    expect(await store.fieldSlots({ ...name, names: ["c", "a"] })).toEqual(["b", "a", "c"]);
    expect(await store.fieldSlots({ ...name, sync: "other", names: ["a"] })).toEqual(["a"]);
  });

  it.each([fieldSlotsMax - 1, fieldSlotsMax, fieldSlotsMax + 1])(
    "keeps of %i fields as many as there are slots",
    async (fields) => {
      const names = numbers(fields).map(String);
      const kept = names.slice(0, fieldSlotsMax);
      expect(await store.fieldSlots({ ...name, names })).toEqual(kept);
      expect(await store.fieldSlots({ ...name, names: ["0"] })).toEqual(kept);
    },
  );

  it("answers the hashes of an accepted record by the names of its fields", async () => {
    await store.fieldSlots({ ...name, names: ["x", "y", "z"] });
    await commit(await stage("k", { fields: fieldsOf(0x01020304, 0, 2 ** 32 - 1) }));
    expect(await known("k", "none")).toEqual([
      {
        state: "accepted",
        hash: new Uint8Array(hashBytes).fill(7),
        fields: [
          { name: "x", hash: 0x01020304 },
          { name: "z", hash: 2 ** 32 - 1 },
        ],
        acceptedAt: nowMs,
      },
      { state: "new" },
    ]);
  });

  it("says so where no hashes of fields were kept", async () => {
    await commit(await stage("k"));
    expect(await known("k")).toMatchObject([{ state: "accepted", fields: undefined }]);
  });

  it("knows nothing of what was staged and not committed, nor after all was forgotten", async () => {
    const ref = await stage("k");
    expect(await known("k", "none")).toEqual([{ state: "unknown" }, { state: "new" }]);
    await commit(ref);
    await store.forgetFingerprints(name);
    expect(await known("k", "none")).toEqual([{ state: "unknown" }, { state: "unknown" }]);
  });

  it("takes what only a dry run saw for new", async () => {
    await stage("k", { dryRun: true });
    expect(await known("k")).toEqual([{ state: "new" }]);
  });
});
