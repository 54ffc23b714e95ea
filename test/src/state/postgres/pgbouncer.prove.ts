import { expect, it, onTestFinished } from "vitest";

import { StateUnavailableError } from "../../../../src/errors.ts";
import { openPostgresInbox } from "../../../../src/inbox/postgres/open.ts";
import { Secret } from "../../../../src/security/secret.ts";
import { verdict } from "../../../../src/state/contract/keys/fingerprints.ts";
import { lookAtStore } from "../../../../src/state/postgres/look-at-store.ts";
import { migrateStore } from "../../../../src/state/postgres/migrate.ts";
import { openPostgresStore } from "../../../../src/state/postgres/open.ts";
import { byPgBouncer } from "../../../support/postgres/pgbouncer.ts";
import { postgres } from "../../../support/postgres/postgres.ts";
import { numbers } from "../../../support/sequences.ts";
import { one } from "../../inbox/deliveries.ts";
import { StoreUnderTest } from "../store-under-test.ts";

it("store and inbox work behind PgBouncer in transaction mode, where a session is anybody's", async () => {
  const url = await byPgBouncer((await postgres()).url);
  const server = { url: new Secret(url), schema: "sluice" };
  await migrateStore(server);
  const stores = await Promise.all(numbers(3).map(async () => await openPostgresStore(server)));
  const inboxes = await Promise.all(numbers(3).map(async () => await openPostgresInbox(server)));
  onTestFinished(async () => {
    for (const each of [...stores, ...inboxes]) await each.close();
  });
  const sendBy = async (index: number, runId: string): Promise<readonly number[]> => {
    const store = stores[index];
    if (store === undefined) throw new Error("there is no such store");
    const test = StoreUnderTest.of("", store);
    await test.openRun(runId);
    const { stage, send } = await store.beginStaging({ runId, chunk: 1, host: "h" });
    const judged = await test.judge({ runId, chunk: 1, stage, send, keys: ["a", "b"] });
    await test.commit({ runId, chunk: 1, stage });
    await store.endRun({ runId, outcome: "done", endedAt: "2026-01-01" });
    return judged;
  };
  expect(await sendBy(0, "r1")).toEqual([verdict.new, verdict.new]);
  const keeping = inboxes.map(async (inbox, index) => {
    for (const n of numbers(20)) await inbox.keep(one(`${index} ${n}`));
  });
  expect(await sendBy(1, "r2")).toEqual([verdict.unchanged, verdict.unchanged]);
  await Promise.all(keeping);
  expect(await inboxes[2]?.backlogs()).toMatchObject([{ last: 60, waiting: 60 }]);
  expect(await sendBy(2, "r3")).toEqual([verdict.unchanged, verdict.unchanged]);
}, 60_000);

it("a store says what to do behind PgBouncer in statement mode, which takes no transaction", async () => {
  const { url } = await postgres();
  await migrateStore({ url: new Secret(url), schema: "sluice" });
  const server = { url: new Secret(await byPgBouncer(url, "statement")), schema: "sluice" };
  const looked = lookAtStore(server);
  await expect(looked).rejects.toThrow(StateUnavailableError);
  await expect(looked).rejects.toMatchObject({
    hint: expect.stringContaining("have the pooler pool by transaction") as unknown,
  });
}, 30_000);
