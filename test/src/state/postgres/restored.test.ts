import { expect, it, onTestFinished } from "vitest";

import { runEffect } from "../../../../src/effect.ts";
import { quoteName } from "../../../../src/postgres/names.ts";
import type { KnownRecord } from "../../../../src/state/contract/keys/known-records.ts";
import { openPostgresMethods } from "../../../../src/state/postgres/open-methods.ts";
import type { StoreServer } from "../../../../src/state/postgres/server.ts";
import type { StateStore } from "../../../../src/state/state-store.ts";
import { answerAtOnce } from "../../../../src/thread.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { answeredHere } from "../../../support/project/inline-threads.ts";
import { name, StoreUnderTest } from "../store-under-test.ts";
import { openMigrated } from "./postgres-store.ts";

async function openOn(server: StoreServer, stateFolder: string): Promise<StateStore> {
  const opened = await openPostgresMethods(server, { stateFolder });
  const store = answeredHere(
    { ...opened, answer: answerAtOnce(opened.methods, (error) => error) },
    runEffect,
  );
  onTestFinished(async () => await store.close());
  return store;
}

/** Has a run send a key and commit it; answers the number of its staging. */
async function send(store: StateStore, runId: string, stateFolder: string): Promise<number> {
  const test = StoreUnderTest.of(stateFolder, store);
  await test.openRun(runId);
  const drawn = await store.beginStaging({ runId, chunk: 1, host: "h" });
  const ref = { runId, chunk: 1, stage: drawn.stage };
  await test.stageKeys({ ...ref, send: drawn.send, keys: ["k"], full: true });
  await test.commit(ref);
  return drawn.send;
}

async function known(store: StateStore): Promise<readonly KnownRecord[]> {
  return await store.knownRecords({ ...name, keys: ["k"] });
}

it("a store in Postgres that was restored from a backup trusts nothing that it knows", async () => {
  const { server, test } = await openMigrated();
  const folder = await temporaryFolder();
  const store = await openOn(server, folder);
  const first = await send(store, "r1", folder);
  expect(await known(await openOn(server, folder))).toMatchObject([{ state: "accepted" }]);
  const last = await send(store, "r2", folder);

  // As a copy of before the second run has it.
  const schema = quoteName(server.schema);
  await test.query(`delete from ${schema}.stagings where send > ${first}`);
  await test.query(`update ${schema}.fingerprints set send = ${first}`);
  await test.query(`alter table ${schema}.stagings alter send restart with ${first + 1}`);
  const restored = await openOn(server, folder);

  expect(await restored.isRestored(name)).toBe(true);
  expect(await known(restored)).toMatchObject([{ state: "unknown" }]);
  await restored.tellRestored(name);
  // Noticed once; and what is sent from then on is known.
  const again = await openOn(server, folder);
  expect(await again.isRestored(name)).toBe(false);
  expect(await send(again, "r3", folder)).toBeGreaterThan(last);
  expect(await known(again)).toMatchObject([{ state: "accepted" }]);
});
