import { describe, expect, it } from "vitest";

import { firstChunkOf } from "../../../../src/lane-of.ts";
import type { StageName } from "../../../../src/state/contract/sends/stagings.ts";
import { examplePlan } from "../../../support/project/plan.ts";
import { type KeyImplementation, keyImplementations } from "../keys/key-implementations.ts";
import { at, name, staged, StoreUnderTest } from "../store-under-test.ts";
import { VersionedKeys } from "./versioned-keys.ts";

const file = { form: "file", host: "h", at } as const;
const reject = { stream: "account", place: "f:1", step: "send", code: "x", reason: "x" } as const;

/** Makes the service refuse the first of two records, and take the other; `meanwhile` happens in between. */
async function refuseFirst(
  { store, ...test }: StoreUnderTest,
  ref: StageName,
  meanwhile: () => Promise<unknown> = async () => await Promise.resolve(),
): Promise<void> {
  const files = { jsonlSha256: null, gzipSha256: null, jsonBytes: 1, gzipBytes: 1 };
  const splitting = { ...ref, part: 0, at, host: "h", isTooLarge: false };
  await store.splitPart({
    ...splitting,
    rejects: [{ ...reject, key: "a" }],
    parts: [{ ...files, ranges: [[1, 2]], records: 1, part: 1 }],
  });
  await meanwhile();
  const rest = { ...ref, part: 1 };
  await store.beginPart({ ...rest, ...file });
  const attempts = { attempts: 1, at };
  await store.movePart({ ...rest, ...attempts, state: "uploaded", fileKey: test.folder });
  await store.beginPart({ ...rest, ...file, confirm: test.folder });
  await store.movePart({ ...rest, attempts: 2, at, state: "accepted" });
  await store.commitChunk({ ...ref, at });
}

/** A store with a run of two lanes, and how to stage two records of a lane; those of the first lane leave at once. */
async function twoLanes(open: KeyImplementation["open"]) {
  const test = await StoreUnderTest.open(open);
  const kept = new VersionedKeys(test);
  await test.openRun("r1", "backfill");
  const spans = [1, 2].map(() => ({ from: null, to: null }));
  await test.store.putPlan({ runId: "r1", plan: examplePlan, samples: [], spans });
  const stage = async (lane: number, of: readonly string[]): Promise<StageName> => {
    const ref = await kept.stage({ runId: "r1", chunk: firstChunkOf(lane), version: lane, of });
    if (lane > 1) return ref;
    const counts = { ...staged.counts, read: 2, records: 2 };
    await test.store.finishStage({ ...ref, ...staged, counts, keys: JSON.stringify(of) });
    await test.store.beginPart({ ...ref, ...file, part: 0 });
    return ref;
  };
  return { test, kept, stage };
}

describe.each(keyImplementations)("a key that three lanes send: $kind", ({ open }) => {
  it.each([
    { how: "refused", isPrepared: false },
    { how: "refused", isPrepared: true },
    { how: "cut", isPrepared: false },
    { how: "cut", isPrepared: true },
  ])(
    "is unknown where the second is accepted before the first, and the third is $how, prepared: $isPrepared",
    async ({ how, isPrepared }) => {
      const test = await StoreUnderTest.open(open);
      const kept = new VersionedKeys(test);
      await test.openRun("r1", "backfill");
      const spans = [1, 2, 3].map(() => ({ from: null, to: null }));
      await test.store.putPlan({ runId: "r1", plan: examplePlan, samples: [], spans });
      const stage = async (lane: number): Promise<StageName> =>
        await kept.stage({
          runId: "r1",
          chunk: firstChunkOf(lane),
          version: lane,
          of: ["a", `l${lane}`],
        });
      const [first, second, third] = [await stage(1), await stage(2), await stage(3)];
      const counts = { ...staged.counts, read: 2, records: 2 };
      await test.store.finishStage({ ...third, ...staged, counts, keys: '["a","l3"]' });
      await test.store.beginPart({ ...third, ...file, part: 0 });
      await test.commit(second, { keys: "[]" });
      if (isPrepared) await test.store.prepareCommit(third);
      if (how === "refused") await refuseFirst(test, third);
      else
        await test.store.cutChunk({ ...third, part: 0, at, rejects: [{ ...reject, key: "l3" }] });
      await test.commit(first, { keys: "[]" });
      // Nobody knows whether the service now holds the record of the first lane, or that of the second.
      expect(await kept.versions("a", "l1", "l2")).toEqual(["unknown", 1, 2]);
    },
  );
});

describe.each(keyImplementations)("a key that a second lane stages: $kind", ({ open }) => {
  it("has the fields of its record where the first lane was refused another, and commits after that", async () => {
    const test = await StoreUnderTest.open(open);
    const kept = new VersionedKeys(test);
    await test.store.fieldSlots({ ...name, names: ["f"] });
    await kept.run({ runId: "r1", version: 1, of: ["a"], field: 1 });
    await test.openRun("r2", "backfill");
    const spans = [1, 2].map(() => ({ from: null, to: null }));
    await test.store.putPlan({ runId: "r2", plan: examplePlan, samples: [], spans });
    const stage = async (lane: number): Promise<StageName> => {
      const records = { version: lane + 1, field: lane + 1, of: ["a", `l${lane}`] };
      return await kept.stage({ runId: "r2", chunk: firstChunkOf(lane), ...records });
    };
    const first = await stage(1);
    const counts = { ...staged.counts, read: 2, records: 2 };
    await test.store.finishStage({ ...first, ...staged, counts, keys: '["a","l1"]' });
    await test.store.beginPart({ ...first, ...file, part: 0 });
    const later: StageName[] = [];
    await refuseFirst(test, first, async () => later.push(await stage(2)));
    for (const ref of later) await test.commit(ref, { keys: "[]" });
    const known = await kept.known("a", "l1", "l2");
    const fields = known.map((one) => (one.state === "accepted" ? one.fields : one.state));
    expect(fields).toEqual([3, 2, 3].map((hash) => [{ name: "f", hash }]));
  });

  it.each([false, true])(
    "is known by it where the first lane was refused its record, and counts after that, prepared: %s",
    async (isPrepared) => {
      const { test, kept, stage } = await twoLanes(open);
      const first = await stage(1, ["a", "l1"]);
      if (isPrepared) await test.store.prepareCommit(first);
      await refuseFirst(test, first, async () => {
        const second = await stage(2, ["a", "l2"]);
        await test.commit(second, { keys: "[]" });
      });
      expect(await kept.versions("a", "l1", "l2")).toEqual([2, 1, 2]);
    },
  );
});

describe.each(keyImplementations)("a key that a run sends twice: $kind", ({ open }) => {
  it.each([false, true])(
    "is unsettled where a record of it was refused, both of one chunk, prepared: %s",
    async (isPrepared) => {
      const { test, kept, stage } = await twoLanes(open);
      const first = await stage(1, ["a", "a"]);
      if (isPrepared) await test.store.prepareCommit(first);
      await refuseFirst(test, first);
      expect(await kept.known("a")).toMatchObject([{ state: "unknown", why: "unsettled" }]);
    },
  );

  it.each([false, true])(
    "is unsettled where the first record was refused, the second of another lane, prepared: %s",
    async (isPrepared) => {
      const { test, kept, stage } = await twoLanes(open);
      const first = await stage(1, ["a", "l1"]);
      if (isPrepared) await test.store.prepareCommit(first);
      await test.commit(await stage(2, ["a", "l2"]), { keys: "[]" });
      await refuseFirst(test, first);
      expect(await kept.known("a")).toMatchObject([{ state: "unknown", why: "unsettled" }]);
    },
  );

  it("is of no known fields any more", async () => {
    const { test, kept } = await twoLanes(open);
    await test.store.fieldSlots({ ...name, names: ["f"] });
    for (const lane of [1, 2]) {
      const records = { version: lane, of: ["a", `l${lane}`], field: lane };
      const ref = await kept.stage({ runId: "r1", chunk: firstChunkOf(lane), ...records });
      await test.commit(ref, { keys: "[]" });
    }
    await test.openRun("r2");
    const ref = { runId: "r2", chunk: 1, stage: 1 };
    const { send } = await test.store.beginStaging({ ...ref, host: "h" });
    const { leaving } = await test.stageKeys({ ...ref, send, keys: ["a", "l1"], full: true });
    expect([...leaving].map((id) => Math.sign(id))).toEqual([-1, 1]);
  });
});
