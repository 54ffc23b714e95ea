import { expect, it } from "vitest";

import { runEffect } from "../../../../src/effect.ts";
import { openStoreInline } from "../../../support/project/inline-threads.ts";
import { keyImplementations } from "../keys/key-implementations.ts";
import { name, StoreUnderTest } from "../store-under-test.ts";
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
  // A key that was wrongly judged new would have another id.
  expect(await idsIn(test.folder)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(await kept.versions("a", "b", "c", "d", "e", "f")).toEqual([3, 1, 2, 3, 3, 3]);
});

it.each(keyImplementations)("knows the fields of each of many keys: $kind", async ({ open }) => {
  const test = await StoreUnderTest.open(open);
  await test.store.fieldSlots({ ...name, names: ["f"] });
  const kept = new VersionedKeys(test);
  const [few, many] = [
    ["a", "b", "c", "d", "e", "f", "g", "h", "i"],
    ["j", "k", "l", "m"],
  ];
  await kept.run({ runId: "r1", version: 1, of: few, field: 1 });
  await kept.run({ runId: "r2", version: 2, of: many, field: 2 });
  const known = await kept.known(...few, ...many);
  const hashes = known.map((one) => one.state === "accepted" && one.fields?.[0]?.hash);
  expect(hashes).toEqual([...few.map(() => 1), ...many.map(() => 2)]);
});
