import { beforeEach, describe, expect, it } from "vitest";

import { firstChunkOf } from "../../../../src/lane-of.ts";
import { hashBytes, verdict } from "../../../../src/state/contract/keys/fingerprints.ts";
import type { StageName } from "../../../../src/state/contract/sends/stagings.ts";
import { examplePlan } from "../../../support/project/plan.ts";
import { numbers } from "../../../support/sequences.ts";
import { isProving, someOf } from "../../../support/trials.ts";
import { at, name, staged, StoreUnderTest } from "../store-under-test.ts";
import { VersionedKeys } from "../store/versioned-keys.ts";
import { keyImplementations, type Write } from "./key-implementations.ts";

/** More than a commit writes in one transaction. */
const many = 12_000;

const keys = numbers(many).map((number) => `k${number}`);

describe.each(keyImplementations)("what a staging makes of keys: $kind", (implementation) => {
  let test: StoreUnderTest;
  let kept: VersionedKeys;

  beforeEach(async () => {
    test = await StoreUnderTest.open(implementation.open);
    kept = new VersionedKeys(test);
  });

  const failAt = async (write: Write): Promise<() => Promise<void>> =>
    await implementation.failAt(test.folder, write);
  const rows = async (table: string): Promise<number> =>
    (await implementation.rows(test.folder, `select * from ${table}`)).length;
  /** The staged keys and fields that remain once those of committed stagings, which are removed later, are gone. */
  const settled = async (): Promise<readonly number[]> => {
    await test.store.pruneRuns({ before: "2000-01-01T00:00:00.000Z" });
    return [await rows("staged_keys"), await rows("staged_fields")];
  };

  it("leaves what is known as it was, with its fields, when it is given up before anything of it left", async () => {
    await test.store.fieldSlots({ ...name, names: ["x"] });
    await kept.run({ runId: "r1", version: 1, field: 7 });
    const before = [
      await kept.known("a", "b", "c"),
      await rows("fingerprints"),
      await rows("field_hashes"),
    ];
    await test.openRun("r2");
    await kept.stage({ runId: "r2", version: 2, of: ["a", "c"], field: 8 });
    expect(await kept.versions("a", "b", "c")).toEqual(["unknown", 1, "unknown"]);
    await test.store.dropStagings({ runId: "r2" });
    const after = [
      await kept.known("a", "b", "c"),
      await rows("fingerprints"),
      await rows("field_hashes"),
    ];
    expect(after).toEqual(before);
    expect([await rows("staged_keys"), await rows("staged_fields")]).toEqual([0, 0]);
  });

  it("leaves the fields of a key as they were when it is given up, however often it has the key", async () => {
    await test.store.fieldSlots({ ...name, names: ["x"] });
    await kept.run({ runId: "r1", version: 1, field: 7 });
    const before = await kept.known("a", "b");
    await test.openRun("r2");
    await kept.stage({ runId: "r2", version: 2, of: ["a", "a", "a"], field: 8 });
    await test.store.dropStagings({ runId: "r2" });
    expect(await kept.known("a", "b")).toEqual(before);
  });

  it.each([false, true])(
    "makes its keys unknown when it is given up once a part of it left, its commit prepared: %s",
    async (isPrepared) => {
      await kept.run({ runId: "r1", version: 1 });
      await test.openRun("r2");
      const ref = await kept.stage({ runId: "r2", version: 2, of: ["a", "c"] });
      await test.store.finishStage({ ...ref, ...staged });
      await test.store.beginPart({ ...ref, part: 0, at, form: "body", host: "h" });
      if (isPrepared) await test.store.prepareCommit(ref);
      await test.store.dropStagings({ runId: "r2" });
      expect(await kept.versions("a", "b", "c")).toEqual(["unknown", 1, "unknown"]);
      expect(await rows("staged_keys")).toBe(0);
    },
  );

  it("has the fields of its records known with its commit, and no earlier", async () => {
    await test.store.fieldSlots({ ...name, names: ["x"] });
    await kept.run({ runId: "r1", version: 1, field: 7 });
    await kept.run({ runId: "r2", version: 2, field: 8 });
    expect(await kept.known("a")).toMatchObject([{ fields: [{ name: "x", hash: 8 }] }]);
    expect(await settled()).toEqual([0, 0]);
  });

  it("survives the end of its process", async () => {
    await kept.run({ runId: "r1", version: 1 });
    await test.openRun("r2");
    const ref = await kept.stage({ runId: "r2", version: 2, of: ["a"] });
    const other = StoreUnderTest.of(test.folder, await implementation.open(test.folder));
    await other.commit(ref, { keys: "[]" });
    await other.store.close();
    expect(await kept.versions("a", "b")).toEqual([2, 1]);
  });

  it("makes them unknown also where the process ends while it is given up", async () => {
    await kept.run({ runId: "r1", version: 1, of: keys });
    await test.openRun("r2");
    const ref = await kept.stage({ runId: "r2", version: 2, of: keys });
    await test.store.finishStage({ ...ref, ...staged, keys: "[]" });
    await test.store.beginPart({ ...ref, part: 0, at, form: "body", host: "h" });
    const revive = await failAt({
      at: "before update on fingerprints",
      when: "new.number > 7000000000000000000",
    });
    await expect(test.store.dropStagings({ runId: "r2" })).rejects.toThrow(/killed|P0001/);
    await revive();
    expect(await kept.versions(...keys)).toEqual(keys.map(() => "unknown"));
    await kept.run({ runId: "r3", version: 3, of: ["other"] });
    expect(await settled()).toEqual([0, 0]);
    expect(await kept.versions(...keys)).toEqual(keys.map(() => "unknown"));
  });

  it("is known by the staging that follows one that left", async () => {
    await test.openRun("r1");
    const ref = await kept.stage({ runId: "r1", version: 1 });
    await test.store.finishStage({ ...ref, ...staged });
    await test.store.beginPart({ ...ref, part: 0, at, form: "body", host: "h" });
    const again = await kept.stage({ runId: "r1", version: 1 });
    await test.commit(again, { keys: "[]" });
    expect(await kept.versions("a", "b")).toEqual([1, 1]);
  });

  it.each([
    { first: 1, second: 2 },
    { first: 2, second: 1 },
  ])("is unknown where two lanes sent it, lane $first first", async ({ first, second }) => {
    await test.openRun("r1", "backfill");
    const span = { from: null, to: null };
    const plan = { runId: "r1", plan: examplePlan, samples: [], spans: [span, span] };
    await test.store.putPlan(plan);
    const refs: StageName[] = [];
    for (const lane of [1, 2]) {
      const chunk = firstChunkOf(lane);
      refs.push(await kept.stage({ runId: "r1", chunk, version: lane, of: ["a", `l${lane}`] }));
    }
    for (const lane of [first, second]) {
      await test.commit(refs[lane - 1] ?? { runId: "", chunk: 0, stage: 0 }, { keys: "[]" });
    }
    expect(await kept.versions("a", "l1", "l2")).toEqual(["unknown", 1, 2]);
  });

  it("is unknown where two lanes sent it, and the keys of the first are written once more", async () => {
    await test.openRun("r1", "backfill");
    const span = { from: null, to: null };
    await test.store.putPlan({ runId: "r1", plan: examplePlan, samples: [], spans: [span, span] });
    const [first, second] = [firstChunkOf(1), firstChunkOf(2)];
    const ref = await kept.stage({ runId: "r1", chunk: first, version: 1, of: ["a", "l1"] });
    await test.commit(
      await kept.stage({ runId: "r1", chunk: second, version: 2, of: ["a", "l2"] }),
      { keys: "[]" },
    );
    const revive = await failAt({
      at: "before update on stagings",
      when: "new.state = 'committed'",
    });
    await expect(test.commit(ref, { keys: "[]" })).rejects.toThrow(/killed|P0001/);
    await revive();
    await test.store.commitChunk({ ...ref, at });
    expect(await kept.versions("a", "l1", "l2")).toEqual(["unknown", 1, 2]);
  });

  it("is unknown where one of two lanes that sent it left and is given up", async () => {
    await test.openRun("r1", "backfill");
    const span = { from: null, to: null };
    await test.store.putPlan({ runId: "r1", plan: examplePlan, samples: [], spans: [span, span] });
    const stays = await kept.stage({ runId: "r1", chunk: firstChunkOf(2), version: 1 });
    const left = await kept.stage({ runId: "r1", chunk: firstChunkOf(1), version: 2, of: ["a"] });
    await test.store.finishStage({ ...left, ...staged });
    await test.store.beginPart({ ...left, part: 0, at, form: "body", host: "h" });
    // Abandoned: nobody knows whether the service now holds this record, or that of the other lane.
    await kept.stage({ runId: "r1", chunk: firstChunkOf(1), version: 3, of: ["other"] });
    await test.commit(stays, { keys: "[]" });
    expect(await kept.versions("a", "b")).toEqual(["unknown", 1]);
  });

  it.each([false, true])(
    "says nothing of a record that the service refused, its commit prepared: %s",
    async (isPrepared) => {
      await kept.run({ runId: "r1", version: 1 });
      await test.openRun("r2");
      const ref = await kept.stage({ runId: "r2", version: 2, of: ["a", "b", "c"] });
      const counts = { ...staged.counts, read: 3, records: 3 };
      await test.store.finishStage({ ...ref, ...staged, counts, keys: '["a","b","c"]' });
      const part = { ...ref, part: 0, at };
      const file = { ...part, form: "file", host: "h" } as const;
      const reject = {
        stream: "account",
        place: "f:1",
        step: "send",
        code: "x",
        reason: "x",
      } as const;
      await test.store.beginPart(file);
      if (isPrepared) await test.store.prepareCommit(ref);
      const rest = { ranges: [[1, 3]] as const, records: 2, jsonBytes: 1, gzipBytes: 1 };
      const files = { jsonlSha256: null, gzipSha256: null };
      const { parts } = await test.store.splitPart({
        ...part,
        host: "h",
        isTooLarge: false,
        rejects: [{ ...reject, key: "a" }],
        parts: [{ ...rest, ...files, part: 1 }],
      });
      expect(parts).toEqual([1]);
      const again = { ...part, part: 1 };
      await test.store.beginPart({ ...file, part: 1 });
      await test.move({ ...again, state: "uploaded", fileKey: "k" });
      await test.store.beginPart({ ...file, part: 1, confirm: "k" });
      await test.move({ ...again, state: "accepted" });
      await test.store.commitChunk({ ...ref, at });
      expect(await kept.versions("a", "b", "c")).toEqual(["unknown", 2, 2]);
    },
  );

  /** Every kind of write at which a commit is killed, and the keys at which some are already written. */
  const kills: readonly Write[] = [
    { at: "before insert on fingerprints", when: "new.number > -7000000000000000000" },
    { at: "before insert on fingerprints", when: "new.number > 0" },
    { at: "before insert on fingerprints", when: "new.number > 7000000000000000000" },
    { at: "before update on stagings", when: "new.state = 'committed'" },
    // In Postgres the staged keys are removed later.
    ...(implementation.kind === "sqlite" ? [{ at: "before delete on staged_keys" }] : []),
  ];

  /** A store that knows version 1 of all keys, and whose commit of version 2 was killed. */
  const killed = async (write: Write): Promise<StageName> => {
    await kept.run({ runId: "r1", version: 1, of: keys });
    await test.openRun("r2");
    const ref = await kept.stage({ runId: "r2", version: 2, of: keys });
    await test.store.finishStage({ ...ref, ...staged, keys: "[]" });
    await test.accept("r2", 1, ref.stage);
    const revive = await failAt(write);
    await expect(test.store.commitChunk({ ...ref, at })).rejects.toThrow(/killed|P0001/);
    await revive();
    return ref;
  };
  const checkpoint = async (): Promise<number> => (await test.store.checkpoint(name)).version;

  // A commit of this many keys takes a second in Postgres.
  const quickKills = implementation.kind === "sqlite" || isProving ? someOf(kills, 2) : [];

  it.each(quickKills)(
    "is known once all of it is, where a commit is killed $at $when",
    async (write) => {
      const ref = await killed(write);
      const unknown = keys.map(() => "unknown");
      const other = StoreUnderTest.of(test.folder, await implementation.open(test.folder));
      const names = { ...name, keys };
      const states = (await other.store.knownRecords(names)).map(({ state }) => state);
      expect([states, await checkpoint()]).toEqual([unknown, 1]);
      await other.store.commitChunk({ ...ref, at });
      await other.store.close();
      expect([await kept.versions(...keys), await checkpoint()]).toEqual([keys.map(() => 2), 2]);
    },
  );

  // From here on all kills leave some keys written. One kill before any key is written, and one after some, are enough.
  it.each(someOf(quickKills.slice(0, 2), 2))(
    "is sent again where a commit is killed $at $when and its run given up",
    async (write) => {
      await killed(write);
      await test.store.dropStagings({ runId: "r2" });
      expect(await kept.versions(...keys)).toEqual(keys.map(() => "unknown"));
      await test.openRun("r3");
      const { stage: drawn, send } = await test.store.beginStaging({
        runId: "r3",
        chunk: 1,
        host: "h",
      });
      const ref = { runId: "r3", chunk: 1, stage: drawn, send, keys };
      // Abandoned keys must not count as known, even with the same record.
      const hashes = new Uint8Array(many * hashBytes).fill(2);
      expect(await test.judge({ ...ref, hashes })).toEqual(keys.map(() => verdict.new));
    },
  );
});
