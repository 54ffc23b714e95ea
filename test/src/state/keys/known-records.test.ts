import { randomBytes } from "node:crypto";

import { beforeEach, describe, expect, it } from "vitest";

import { SupersededError } from "../../../../src/errors.ts";
import {
  type FieldHashes,
  hashBytes,
  type FieldChange,
  isSent,
} from "../../../../src/state/contract/keys/fingerprints.ts";
import type { KnownRecord } from "../../../../src/state/contract/keys/known-records.ts";
import { fieldSlotsMax } from "../../../../src/state/limits.ts";
import type { StateStore } from "../../../../src/state/state-store.ts";
import { numbers } from "../../../support/sequences.ts";
import { at, implementations, name, nowMs, staged, StoreUnderTest } from "../store-under-test.ts";

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
  type Staged = {
    readonly chunk: number;
    readonly stage: number;
    readonly changes: readonly FieldChange[];
  };
  /** Stages keys with the hashes of their fields. */
  const stage = async (
    keys: readonly string[],
    { fields, chunk = 1, ...more }: { fields?: FieldHashes; chunk?: number; full?: boolean } = {},
  ): Promise<Staged> => {
    const drawn = await store.beginStaging({ runId: "r1", chunk, host: "h" });
    const ref = { runId: "r1", chunk, stage: drawn.stage };
    const hashes = new Uint8Array(keys.length * hashBytes).fill(7);
    const { leaving: ids, verdicts } = await test.stageKeys({
      ...ref,
      ...more,
      send: drawn.send,
      keys,
      hashes,
    });
    const kept = { ...name, ...ref, ids, verdicts: verdicts.filter(isSent) };
    const changes = fields === undefined ? [] : await store.keepFields({ ...kept, ...fields });
    return { chunk, stage: drawn.stage, changes };
  };
  const commit = async ({ chunk, stage: number }: Staged): Promise<void> =>
    await test.commit({ runId: "r1", chunk, stage: number });

  it("gives each new field the next slot, and keeps them for the sync", async () => {
    expect(await store.fieldSlots({ ...name, names: [] })).toEqual([]);
    await store.fieldSlots({ ...name, names: ["b", "a", "b"] });
    expect(await store.fieldSlots({ ...name, names: ["c", "a"] })).toEqual(["b", "a", "c"]);
    expect(await store.fieldSlots({ ...name, sync: "other", names: ["a"] })).toEqual(["a"]);
  });

  it("keeps a field whatever the length of its name", async () => {
    // Random letters, which a database cannot compress to what an entry of an index may have.
    const long = randomBytes(5_000).toString("hex");
    expect(await store.fieldSlots({ ...name, names: [long, "a"] })).toEqual([long, "a"]);
    expect(await store.fieldSlots({ ...name, names: ["b", long] })).toEqual([long, "a", "b"]);
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
    await commit(await stage(["k"], { fields: fieldsOf(0x01020304, 0, 2 ** 32 - 1) }));
    expect(await known("k", "none")).toEqual([
      {
        state: "accepted",
        hash: new Uint8Array(hashBytes).fill(7),
        fields: [
          { name: "x", hash: 0x01020304 },
          { name: "z", hash: 2 ** 32 - 1 },
        ],
        acceptedAt: nowMs,
        send: expect.any(Number) as unknown,
      },
      { state: "new" },
    ]);
  });

  it("says so where no hashes of fields were kept", async () => {
    await commit(await stage(["k"]));
    expect(await known("k")).toMatchObject([{ state: "accepted", fields: undefined }]);
  });

  it("knows nothing of what was staged and not committed, nor after all was forgotten", async () => {
    const ref = await stage(["k"]);
    expect(await known("k", "none")).toEqual([
      { state: "unknown", why: "underWay", send: 1 },
      { state: "new" },
    ]);
    await commit(ref);
    await store.forgetFingerprints(name);
    const forgotten = { state: "unknown", why: "forgotten" };
    expect(await known("k", "none")).toEqual([forgotten, forgotten]);
  });

  it("knows that a record was refused, and of the others what it knew", async () => {
    const { chunk, stage: number } = await stage(["k", "other"]);
    const ref = { runId: "r1", chunk, stage: number };
    const counts = { ...staged.counts, read: 2, records: 2 };
    await store.finishStage({ ...ref, ...staged, counts, keys: '["k","other"]' });
    const part = { ...ref, part: 0, at };
    await store.beginPart({ ...part, form: "file", host: "h" });
    const why = { step: "send", code: "refused", reason: "x" } as const;
    const rest = { ranges: [[1, 2]] as const, records: 1, jsonBytes: 1, gzipBytes: 1 };
    await store.splitPart({
      ...part,
      host: "h",
      isTooLarge: false,
      rejects: [{ ...why, stream: "account", place: "f:1", key: "k" }],
      parts: [{ ...rest, jsonlSha256: null, gzipSha256: null, part: 1 }],
    });
    const taken = { ...ref, part: 1, at };
    const file = { ...taken, form: "file", host: "h" } as const;
    await store.beginPart(file);
    await test.move({ ...taken, state: "uploaded", fileKey: "f" });
    await store.beginPart({ ...file, confirm: "f" });
    await test.move({ ...taken, state: "accepted" });
    expect(await known("k", "other")).toEqual([
      { state: "unknown", why: "underWay", send: 1 },
      { state: "unknown", why: "underWay", send: 1 },
    ]);
    await store.commitChunk({ ...ref, at });
    expect(await known("k", "other", "none")).toMatchObject([
      { state: "unknown", why: "untaken" },
      { state: "accepted" },
      { state: "new" },
    ]);
  });

  it("finds every key, whatever its number", async () => {
    const keys = numbers(32).map((number) => `key ${number}`);
    const ref = await stage(keys);
    expect(await known(...keys)).toMatchObject(
      keys.map(() => ({ state: "unknown", why: "underWay" })),
    );
    await commit(ref);
    expect(await known(...keys)).toMatchObject(keys.map(() => ({ state: "accepted" })));
  });

  it("tells of a field that the service held before, and not of one that it is not known to hold", async () => {
    await store.fieldSlots({ ...name, names: ["x", "y"] });
    await commit(await stage(["k"], { fields: fieldsOf(1, 2) }));
    const next = { fields: { fieldBytes: 8, hashes: fieldsOf(5, 6, 1, 0).hashes } };
    const both = await stage(["new", "k"], { ...next, chunk: 2, full: true });
    expect(both.changes).toEqual([{ slot: 1, changed: 0, lost: 1, firstLost: 1 }]);
    await commit(both);
    await store.forgetFingerprints(name);
    const { changes } = await stage(["k"], { fields: fieldsOf(0, 0), chunk: 3, full: true });
    expect(changes).toEqual([]);
  });

  it.each([
    ["the row before had", [1, 2, 1, 0], [{ slot: 1, changed: 0, lost: 1, firstLost: 1 }]],
    ["the row behind has", [1, 0, 1, 2], []],
    [
      "the first of three had",
      [1, 2, 1, 0, 1, 0],
      [{ slot: 1, changed: 0, lost: 1, firstLost: 1 }],
    ],
  ])("tells of a field that, of rows of one key, %s", async (_, hashes, changes) => {
    await store.fieldSlots({ ...name, names: ["x", "y"] });
    const fields = { ...fieldsOf(...hashes), fieldBytes: 8 };
    const keys = numbers(hashes.length / 2).map(() => "k");
    expect(await stage(keys, { fields })).toMatchObject({ changes });
  });

  it("keeps no fields for a staging that is not the newest", async () => {
    const { stage: old } = await stage(["k"]);
    await stage(["k"]);
    const ref = { ...name, runId: "r1", chunk: 1, stage: old };
    const late = store.keepFields({
      ...ref,
      ids: Int32Array.of(1),
      verdicts: Uint8Array.of(0),
      ...fieldsOf(9),
    });
    await expect(late).rejects.toThrow(SupersededError);
  });
});
