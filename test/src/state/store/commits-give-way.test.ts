import { describe, expect, it } from "vitest";

import { numbers } from "../../../support/sequences.ts";
import { keyImplementations } from "../keys/key-implementations.ts";
import { at, name, staged, StoreUnderTest } from "../store-under-test.ts";
import { VersionedKeys } from "./versioned-keys.ts";

/** More than one transaction of a commit writes. */
const keys = numbers(12_000).map((number) => `k${number}`);

describe.each(keyImplementations)("a commit of many keys: $kind", (store) => {
  it("lets other calls go on between its transactions, and they see none of it", async () => {
    const test = await StoreUnderTest.open(store.open);
    const kept = new VersionedKeys(test);
    await test.openRun("r1");
    const ref = await kept.stage({ runId: "r1", version: 1, of: keys });
    await test.store.finishStage({ ...ref, ...staged, keys: "[]" });
    await test.accept("r1", 1, ref.stage);
    const ended: string[] = [];
    const committing = test.store.commitChunk({ ...ref, at }).then(() => ended.push("commit"));
    // Queried once it is under way: earlier it would be answered first in any case.
    await new Promise((resolve) => setImmediate(resolve));
    const { position } = await test.store.checkpoint(name);
    const versions = await kept.versions("k1", "k11999");
    ended.push("read");
    await committing;
    expect([ended, position]).toEqual([["read", "commit"], null]);
    expect(versions).not.toContain(1);
    expect(await kept.versions("k1", "k11999")).toEqual([1, 1]);
  });
});
