import { beforeEach, describe, expect, it } from "vitest";

import type { StageName } from "../../../../src/state/contract/sends/stagings.ts";
import { numbers } from "../../../support/sequences.ts";
import { keyImplementations } from "../keys/key-implementations.ts";
import { at, name, staged, StoreUnderTest } from "../store-under-test.ts";
import { VersionedKeys } from "./versioned-keys.ts";

/** More keys than one transaction writes. */
const keys = numbers(5_000).map((number) => `k${number}`);

describe.each(keyImplementations)("a commit that was prepared: $kind", (implementation) => {
  let test: StoreUnderTest;
  let kept: VersionedKeys;

  beforeEach(async () => {
    test = await StoreUnderTest.open(implementation.open);
    kept = new VersionedKeys(test);
  });

  /** Stages a second version, and prepares its commit once it was accepted. */
  const prepared = async (of: readonly string[], mapping?: string): Promise<StageName> => {
    await test.openRun("r2");
    const ref = await kept.stage({ runId: "r2", version: 2, of });
    await test.store.finishStage({ ...ref, ...staged, keys: "[]", mapping });
    await test.accept("r2", 1, ref.stage);
    await test.store.prepareCommit(ref);
    return ref;
  };

  const fingerprints = async (): Promise<number> =>
    (await implementation.rows(test.folder, "select 1 as one from fingerprints")).length;

  it("leaves what is known as it was, where nothing of the chunk had left", async () => {
    await kept.run({ runId: "r1", version: 1 });
    const before = [await kept.known("a", "c"), await fingerprints()];
    await test.openRun("r2");
    const ref = await kept.stage({ runId: "r2", version: 2, of: ["a", "c"] });
    await test.store.finishStage({ ...ref, ...staged });
    await test.store.prepareCommit(ref);
    await test.store.dropStagings({ runId: "r2" });
    await test.store.prepareCommit(ref);
    expect([await kept.known("a", "c"), await fingerprints()]).toEqual(before);
  });

  it("has keys known with it, and no earlier", async () => {
    await kept.run({ runId: "r1", version: 1 });
    const ref = await prepared(["a", "c"]);
    expect(await kept.versions("a", "b", "c")).toEqual(["unknown", 1, "unknown"]);
    // If there is anything to prepare, the commit writes no more fingerprints.
    const revive =
      implementation.kind === "postgres"
        ? await implementation.failAt(test.folder, {
            at: "before insert or update on fingerprints",
          })
        : undefined;
    await test.store.commitChunk({ ...ref, at });
    await revive?.();
    expect(await kept.versions("a", "b", "c")).toEqual([2, 1, 2]);
  });

  it("leaves keys known of which nothing else was seen since, where those are forgotten meanwhile", async () => {
    await kept.run({ runId: "r1", version: 1 });
    const ref = await prepared(["a", "c"]);
    await test.store.forgetSeenBefore({ ...name, runId: "r2" });
    await test.store.commitChunk({ ...ref, at });
    expect(await kept.versions("a", "b", "c")).toEqual([2, "new", 2]);
  });

  it("is forgotten as not seen once it is given up, though it left", async () => {
    await kept.run({ runId: "r1", version: 1 });
    await prepared(["a", "c"]);
    await test.store.beginStaging({ runId: "r2", chunk: 1, host: "h" });
    await test.store.forgetSeenBefore({ ...name, runId: "r2" });
    expect(await kept.versions("a", "b", "c")).toEqual(["new", "new", "new"]);
  });

  it("has nobody told of a new key as one of an older mapping", async () => {
    await test.openRun("r1");
    await test.commit(await kept.stage({ runId: "r1", version: 1 }), { keys: "[]", mapping: "m1" });
    const ref = await prepared(["c"], "m2");
    const ask = async () => await test.store.olderMapping({ ...name, mapping: "m2" });
    expect(await ask()).toEqual({ isAny: true, records: 2 });
    await test.store.commitChunk({ ...ref, at });
    expect(await ask()).toEqual({ isAny: true, records: 2 });
  });

  // Only Postgres writes anything before the commit.
  it.each(implementation.kind === "postgres" ? ["committed", "given up"] : [])(
    "leaves keys as they were to be where its process ended meanwhile, and the chunk is %s",
    async (how) => {
      await kept.run({ runId: "r1", version: 1, of: keys });
      await test.openRun("r2");
      const ref = await kept.stage({ runId: "r2", version: 2, of: keys });
      await test.store.finishStage({ ...ref, ...staged, keys: "[]" });
      await test.accept("r2", 1, ref.stage);
      const revive = await implementation.failAt(test.folder, {
        at: "before update on fingerprints",
        when: "new.number > 0",
      });
      await expect(test.store.prepareCommit(ref)).rejects.toThrow("P0001");
      await revive();
      expect(await kept.versions(...keys)).toEqual(keys.map(() => "unknown"));
      if (how === "committed") await test.store.commitChunk({ ...ref, at });
      else await test.store.dropStagings({ runId: "r2" });
      const wanted = how === "committed" ? 2 : "unknown";
      expect(await kept.versions(...keys)).toEqual(keys.map(() => wanted));
    },
  );
});
