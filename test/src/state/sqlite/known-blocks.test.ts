import { join } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";

import { expect, it } from "vitest";

import { verdict } from "../../../../src/state/contract/keys/fingerprints.ts";
import { openStoreInline } from "../../../support/project/inline-threads.ts";
import { name, StoreUnderTest } from "../store-under-test.ts";
import { VersionedKeys } from "../store/versioned-keys.ts";

/** Keys of two blocks, and some that belong to none. */
const many = Array.from({ length: 150 }, (_, index) => `k${index}`);
const size = 64;

/** A store, and direct access to its file. */
class Blocks {
  readonly test: StoreUnderTest;
  readonly kept: VersionedKeys;

  private constructor(test: StoreUnderTest) {
    this.test = test;
    this.kept = new VersionedKeys(test);
  }

  /** A store that has sent many keys in one run. */
  static async loaded(keys: readonly string[] = many): Promise<Blocks> {
    const blocks = new Blocks(await StoreUnderTest.open(openStoreInline));
    await blocks.kept.run({ runId: "first", version: 1, of: keys });
    return blocks;
  }

  do(sql: string): Record<string, SQLOutputValue>[] {
    const db = new DatabaseSync(join(this.test.folder, "state.db"));
    try {
      return db.prepare(sql).all();
    } finally {
      db.close();
    }
  }

  /** The blocks that are known as a whole. */
  numbers(): unknown[] {
    return this.do("select block from known_blocks order by block").map(({ block }) => block);
  }

  /** The verdicts of a run that reads keys, all of version 1; nothing of it is sent. */
  async verdicts(runId: string, keys: readonly string[]): Promise<number[]> {
    await this.test.openRun(runId);
    const { stage, send } = await this.test.store.beginStaging({ runId, chunk: 1, host: "h" });
    const hashes = new Uint8Array(keys.length * 16).fill(1);
    const verdicts = await this.test.judge({ runId, chunk: 1, stage, send, keys, hashes });
    await this.test.store.dropStagings({ runId });
    return verdicts;
  }

  /** Changes fingerprints without a trace: only who looks them up sees it. */
  spoil(): void {
    this.do("drop trigger fingerprint_updated");
    this.do("update fingerprints set hash = zeroblob(16)");
  }
}

const unchanged = (keys: number): number[] => Array<number>(keys).fill(verdict.unchanged);
const isNew = (keys: number): number[] => Array<number>(keys).fill(verdict.new);

it("looks up no key of a block that comes as it was first sent", async () => {
  const blocks = await Blocks.loaded();
  expect(blocks.numbers()).toEqual([0, 1]);
  blocks.spoil();
  expect(await blocks.verdicts("again", many)).toEqual([...unchanged(2 * size), ...isNew(22)]);
});

it("finds blocks after keys that are new, gone, changed or in another order", async () => {
  const blocks = await Blocks.loaded();
  blocks.spoil();
  const verdicts = async (runId: string, keys: readonly string[]) =>
    (await blocks.verdicts(runId, keys)).filter((one) => one === verdict.unchanged).length;
  // A probe meets the second block where fewer keys than a block has come before it.
  expect(await verdicts("new", ["x", ...many])).toBe(size);
  expect(await verdicts("gone", many.slice(1))).toBe(size);
  expect(await verdicts("turned", many.toSpliced(2, 1).toSpliced(1, 0, "k2"))).toBe(size);
  expect(await verdicts("reversed", many.toReversed())).toBe(0);
});

it("knows each key of a block as seen in its run", async () => {
  const blocks = await Blocks.loaded();
  await blocks.test.openRun("second");
  const { stage, send } = await blocks.test.store.beginStaging({
    runId: "second",
    chunk: 1,
    host: "h",
  });
  const judge = async (keys: readonly string[]) =>
    await blocks.test.judge({
      runId: "second",
      chunk: 1,
      stage,
      send,
      keys,
      rejectDuplicates: true,
      hashes: new Uint8Array(keys.length * 16).fill(1),
    });
  expect(await judge(many.slice(0, size))).toEqual(unchanged(size));
  const again = ["k0", "k1", "k62", "k63", "k64"];
  const { duplicate } = verdict;
  expect(await judge(again)).toEqual([...Array<number>(4).fill(duplicate), verdict.unchanged]);
});

it("sends a key of a block whose record has changed, and no other", async () => {
  const blocks = await Blocks.loaded();
  await blocks.test.openRun("second");
  const { stage, send } = await blocks.test.store.beginStaging({
    runId: "second",
    chunk: 1,
    host: "h",
  });
  const hashes = new Uint8Array(many.length * 16).fill(1).fill(2, 70 * 16, 71 * 16);
  const ref = { runId: "second", chunk: 1, stage };
  const judged = await blocks.test.judge({ ...ref, send, keys: many, hashes });
  expect(judged).toEqual([...unchanged(70), verdict.new, ...unchanged(79)]);
  await blocks.test.commit(ref, { keys: "[]" });
  expect(blocks.numbers()).toEqual([0]);
  expect(await blocks.kept.versions("k69", "k70", "k71")).toEqual([1, 2, 1]);
});

it("knows a block again once all of it was looked up, with the sends of each key", async () => {
  const blocks = await Blocks.loaded();
  await blocks.kept.run({ runId: "second", version: 1, of: many.slice(64, 66) });
  await blocks.kept.run({ runId: "third", version: 2, of: ["k64"] });
  await blocks.kept.run({ runId: "fourth", version: 1, of: ["k64"] });
  expect(blocks.numbers()).toEqual([0]);
  await blocks.verdicts("fifth", many);
  expect(blocks.numbers()).toEqual([0, 1]);
  const [block] = blocks.do("select sends from known_blocks where block = 1");
  const sends = blocks.do("select send from fingerprints where id between 65 and 67 order by id");
  const [of64, of65, of66] = sends.map(({ send }) => send);
  expect(block).toEqual({ sends: JSON.stringify([of64, 1, of65, 63]) });
  expect(of65).toBe(of66);
  blocks.spoil();
  expect(await blocks.verdicts("sixth", many)).toEqual([...unchanged(2 * size), ...isNew(22)]);
});

it.each([
  ["changed", "update fingerprints set send = -send where id = 64"],
  ["removed", "delete from fingerprints where id = 64"],
  ["written anew", "update fingerprints set id = 64 where id = 64"],
])("forgets a block of which a fingerprint was %s", async (_how, sql) => {
  const blocks = await Blocks.loaded();
  blocks.do(sql);
  expect(blocks.numbers()).toEqual([1]);
});

it("makes every record unknown with its set, also those of known blocks", async () => {
  const blocks = await Blocks.loaded();
  await blocks.test.store.forgetFingerprints(name);
  expect(await blocks.verdicts("again", many)).toEqual(isNew(many.length));
});

it("keeps no block of keys that one staging sent twice", async () => {
  const blocks = await Blocks.loaded([...many, "k3"]);
  expect(blocks.numbers()).toEqual([]);
  expect(await blocks.kept.versions("k2", "k3")).toEqual([1, "unknown"]);
});

it("keeps no block of keys that are written twice, as another process ended in between", async () => {
  const blocks = await Blocks.loaded([]);
  const ref = await (async () => {
    await blocks.test.openRun("second");
    return await blocks.kept.stage({ runId: "second", version: 1, of: many });
  })();
  blocks.do(
    "create trigger killed before delete on staged_keys begin select raise(abort, 'killed'); end",
  );
  await expect(blocks.test.commit(ref, { keys: "[]" })).rejects.toThrow(/killed/);
  expect(blocks.numbers()).toEqual([0, 1]);
  blocks.do("update fingerprints set id = 1000 + id where id = 3");
  blocks.do("drop trigger killed");
  await blocks.test.store.commitChunk({ ...ref, at: "2026-01-01T00:00:00.000Z" });
  expect(blocks.numbers()).toEqual([]);
});
