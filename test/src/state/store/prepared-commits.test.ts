import { beforeEach, describe, expect, it } from "vitest";

import { hashBytes } from "../../../../src/state/contract/keys/fingerprints.ts";
import type { KnownRecord } from "../../../../src/state/contract/keys/known-records.ts";
import type { StageName } from "../../../../src/state/contract/sends/stagings.ts";
import { numbers } from "../../../support/sequences.ts";
import { keyImplementations } from "../keys/key-implementations.ts";
import { at, name, staged, StoreUnderTest } from "../store-under-test.ts";

/** More than one transaction takes of them. */
const keys = numbers(5_000).map((number) => `k${number}`);

describe.each(keyImplementations)("a commit that was prepared: $kind", (implementation) => {
  let test: StoreUnderTest;

  beforeEach(async () => {
    test = await StoreUnderTest.open(implementation.open);
  });

  type Staging = {
    readonly runId: string;
    readonly version: number;
    readonly of?: readonly string[];
  };
  /** Stages keys of one version. */
  const stage = async ({ runId, version, of = ["a", "b"] }: Staging): Promise<StageName> => {
    const { stage: drawn, send } = await test.store.beginStaging({ runId, chunk: 1, host: "h" });
    const ref = { runId, chunk: 1, stage: drawn };
    const hashes = new Uint8Array(of.length * hashBytes).fill(version);
    await test.stageKeys({ ...ref, send, keys: of, hashes });
    return ref;
  };
  /** A run that sends keys of one version. */
  const run = async (staging: Staging): Promise<void> => {
    await test.openRun(staging.runId);
    await test.commit(await stage(staging), { keys: "[]" });
  };
  const known = async (...of: readonly string[]): Promise<KnownRecord[]> =>
    await test.store.knownRecords({ ...name, keys: of });
  /** The versions that are known, or why there is none. */
  const versions = async (...of: readonly string[]): Promise<unknown[]> =>
    (await known(...of)).map((one) => (one.state === "accepted" ? one.hash[0] : one.state));

  const fingerprints = async (): Promise<number> =>
    (await implementation.rows(test.folder, "select 1 as one from fingerprints")).length;

  it("leaves what is known as it was, where nothing of the chunk had left", async () => {
    await run({ runId: "r1", version: 1 });
    const before = [await known("a", "c"), await fingerprints()];
    await test.openRun("r2");
    const ref = await stage({ runId: "r2", version: 2, of: ["a", "c"] });
    await test.store.finishStage({ ...ref, ...staged });
    await test.store.prepareCommit(ref);
    await test.store.dropStagings({ runId: "r2" });
    await test.store.prepareCommit(ref);
    expect([await known("a", "c"), await fingerprints()]).toEqual(before);
  });

  it("has keys known with it, and no earlier", async () => {
    await run({ runId: "r1", version: 1 });
    await test.openRun("r2");
    const ref = await stage({ runId: "r2", version: 2, of: ["a", "c"] });
    await test.store.finishStage({ ...ref, ...staged, keys: "[]" });
    await test.accept("r2", 1, ref.stage);
    await test.store.prepareCommit(ref);
    expect(await versions("a", "b", "c")).toEqual(["unknown", 1, "unknown"]);
    // Where there is something to prepare, nothing is left of it.
    const revive =
      implementation.kind === "postgres"
        ? await implementation.failAt(test.folder, {
            at: "before insert or update on fingerprints",
          })
        : undefined;
    await test.store.commitChunk({ ...ref, at });
    await revive?.();
    expect(await versions("a", "b", "c")).toEqual([2, 1, 2]);
  });

  it("leaves keys known of which nothing else was seen since, where those are forgotten meanwhile", async () => {
    await run({ runId: "r1", version: 1 });
    await test.openRun("r2");
    const ref = await stage({ runId: "r2", version: 2, of: ["a", "c"] });
    await test.store.finishStage({ ...ref, ...staged, keys: "[]" });
    await test.accept("r2", 1, ref.stage);
    await test.store.prepareCommit(ref);
    await test.store.forgetSeenBefore({ ...name, runId: "r2" });
    await test.store.commitChunk({ ...ref, at });
    expect(await versions("a", "b", "c")).toEqual([2, "new", 2]);
  });

  it("has nobody told of a new key as one of an older mapping", async () => {
    await test.openRun("r1");
    await test.commit(await stage({ runId: "r1", version: 1 }), { keys: "[]", mapping: "m1" });
    await test.openRun("r2");
    const ref = await stage({ runId: "r2", version: 1, of: ["c"] });
    await test.store.finishStage({ ...ref, ...staged, keys: "[]", mapping: "m2" });
    await test.accept("r2", 1, ref.stage);
    await test.store.prepareCommit(ref);
    const ask = async () => await test.store.olderMapping({ ...name, mapping: "m2" });
    expect(await ask()).toEqual({ isAny: true, records: 2 });
    await test.store.commitChunk({ ...ref, at });
    expect(await ask()).toEqual({ isAny: true, records: 2 });
  });

  // Only there is anything written before the commit.
  it.each(implementation.kind === "postgres" ? ["committed", "given up"] : [])(
    "leaves keys as they were to be where its process ended meanwhile, and the chunk is %s",
    async (how) => {
      await run({ runId: "r1", version: 1, of: keys });
      await test.openRun("r2");
      const ref = await stage({ runId: "r2", version: 2, of: keys });
      await test.store.finishStage({ ...ref, ...staged, keys: "[]" });
      await test.accept("r2", 1, ref.stage);
      const revive = await implementation.failAt(test.folder, {
        at: "before update on fingerprints",
        when: "new.number > 0",
      });
      await expect(test.store.prepareCommit(ref)).rejects.toThrow("P0001");
      await revive();
      expect(await versions(...keys)).toEqual(keys.map(() => "unknown"));
      if (how === "committed") await test.store.commitChunk({ ...ref, at });
      else await test.store.dropStagings({ runId: "r2" });
      const wanted = how === "committed" ? 2 : "unknown";
      expect(await versions(...keys)).toEqual(keys.map(() => wanted));
    },
  );
});
