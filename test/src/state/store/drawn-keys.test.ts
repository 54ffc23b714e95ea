import { describe, expect, it } from "vitest";

import { keyImplementations } from "../keys/key-implementations.ts";
import { StoreUnderTest } from "../store-under-test.ts";
import { VersionedKeys } from "./versioned-keys.ts";

describe.each(keyImplementations)("keys of a set that one process fills: $kind", (store) => {
  const idsIn = async (folder: string): Promise<number[]> => {
    const found = await store.rows(folder, "select id from fingerprints order by id");
    return found.map(({ id }) => Number(id));
  };

  it("are known to it in its next run", async () => {
    const test = await StoreUnderTest.open(store.open);
    const kept = new VersionedKeys(test);
    await kept.run({ runId: "r1", version: 1, of: ["a", "b"] });
    await kept.run({ runId: "r2", version: 2, of: ["a", "c"] });
    expect(await kept.versions("a", "b", "c")).toEqual([2, 1, 2]);
    expect(await idsIn(test.folder)).toEqual([1, 2, 3]);
  });

  it("are known to it also where another process took some of them in", async () => {
    const test = await StoreUnderTest.open(store.open);
    const other = StoreUnderTest.of(test.folder, await store.open(test.folder));
    const [kept, keptThere] = [new VersionedKeys(test), new VersionedKeys(other)];
    await kept.run({ runId: "r1", version: 1, of: ["a", "b"] });
    await keptThere.run({ runId: "r2", version: 2, of: ["b", "c"] });
    await other.store.close();
    await kept.run({ runId: "r3", version: 3, of: ["a", "c", "d"] });
    expect(await kept.versions("a", "b", "c", "d")).toEqual([3, 2, 3, 3]);
    expect(await idsIn(test.folder)).toEqual([1, 2, 3, 4]);
  });

  it("are known to it also where a transaction of its own failed before", async () => {
    const test = await StoreUnderTest.open(store.open);
    const other = StoreUnderTest.of(test.folder, await store.open(test.folder));
    const [kept, keptThere] = [new VersionedKeys(test), new VersionedKeys(other)];
    await kept.run({ runId: "r1", version: 1, of: ["a"] });
    const revive = await store.failAt(test.folder, { at: "before insert on staged_keys" });
    await test.openRun("r2");
    await expect(kept.stage({ runId: "r2", version: 2, of: ["lost"] })).rejects.toThrow(
      /killed|P0001/,
    );
    await revive();
    await keptThere.run({ runId: "r3", version: 3, of: ["c"] });
    await other.store.close();
    await kept.run({ runId: "r4", version: 4, of: ["c", "d"] });
    expect(await kept.versions("a", "c", "d", "lost")).toEqual([1, 4, 4, "new"]);
    expect(await idsIn(test.folder)).toEqual([1, 2, 3]);
  });
});
