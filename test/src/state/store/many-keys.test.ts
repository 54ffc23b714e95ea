import { expect, it } from "vitest";

import { runEffect } from "../../../../src/effect.ts";
import { openStoreInline } from "../../../support/project/inline-threads.ts";
import { keyImplementations } from "../keys/key-implementations.ts";
import { StoreUnderTest } from "../store-under-test.ts";
import { VersionedKeys } from "./versioned-keys.ts";

async function idsIn(folder: string): Promise<number[]> {
  const [sqlite] = keyImplementations;
  const found = await sqlite?.rows(folder, "select id from fingerprints order by id");
  return (found ?? []).map(({ id }) => Number(id));
}

it("knows keys of a set that has more than are held in memory", async () => {
  const test = await StoreUnderTest.open(
    async (folder) => await openStoreInline(folder, runEffect, { drawnKeysMax: 3 }),
  );
  const kept = new VersionedKeys(test);
  await kept.run({ runId: "r1", version: 1, of: ["a", "b"] });
  await kept.run({ runId: "r2", version: 2, of: ["c", "d", "e"] });
  await kept.run({ runId: "r3", version: 3, of: ["a", "d", "e", "f"] });
  // A key that was taken for a new one would have another id.
  expect(await idsIn(test.folder)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(await kept.versions("a", "b", "c", "d", "e", "f")).toEqual([3, 1, 2, 3, 3, 3]);
});
