import { copyFile, rename } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { ConfigError, StateUnavailableError } from "../../../src/errors.ts";
import { Secret } from "../../../src/security/secret.ts";
import { openStateStore } from "../../../src/state/open.ts";
import { openStoreInline } from "../../support/project/inline-threads.ts";
import { StoreUnderTest } from "./store-under-test.ts";

it("a store in Postgres does not begin anew beside a folder that holds runs", async () => {
  const test = await StoreUnderTest.open(async (folder) => await openStoreInline(folder));
  // Nothing listens there.
  const store = { url: new Secret("postgres://sluice@127.0.0.1:1/state"), schema: "sluice" };
  const opening = { stateFolder: test.folder, store };
  await expect(openStateStore(opening)).rejects.toThrow(StateUnavailableError);
  await test.openRun("r1");
  await expect(openStateStore(opening)).rejects.toThrow(ConfigError);
  await expect(openStateStore(opening)).rejects.toThrow("holds runs of this project");
  expect(await test.store.runs({ limit: 5 })).toHaveLength(1);
});

it("is not read and not written any more once its file was removed, or another is in its place", async () => {
  const test = await StoreUnderTest.open(async (folder) => await openStoreInline(folder));
  const file = join(test.folder, "state.db");
  const away = join(test.folder, "away.db");
  await rename(file, away);
  await expect(test.store.runs({ limit: 5 })).rejects.toThrow("was removed or replaced");
  // With these a worker ends, and its activities wait for the next one.
  const refusal = { field: "store", retryBudgetMs: 60_000 };
  await expect(test.openRun("r1")).rejects.toMatchObject(refusal);
  await copyFile(away, file);
  await expect(test.store.runs({ limit: 5 })).rejects.toThrow(ConfigError);
  await rename(away, file);
  expect(await test.store.runs({ limit: 5 })).toEqual([]);
});
