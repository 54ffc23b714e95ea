import { join } from "node:path";

import { beforeEach, expect, it, onTestFinished } from "vitest";

import { SupersededError } from "../../../../src/errors.ts";
import { openDatabase } from "../../../../src/state/sqlite/database.ts";
import type { StateStore } from "../../../../src/state/state-store.ts";
import { createPullRounds } from "../../../../src/state/store/pull/pull-rounds.ts";
import { openStoreInline } from "../../../support/project/inline-threads.ts";
import { at, StoreUnderTest } from "../store-under-test.ts";

const name = { target: "sandbox main", pull: "hiring" };
const hashes = { configHash: "c", queryHash: "q", writeHash: "w" };
const beginning = { ...name, ...hashes, runId: "r1", anew: true, hasDomains: true };
const listing = { ...name, runId: "r1" };

let test: StoreUnderTest;
let store: StateStore;

beforeEach(async () => {
  test = await StoreUnderTest.open(openStoreInline);
  ({ store } = test);
  await test.openRun("r1");
});

/** Lists the only domain of a round. */
async function list(): Promise<void> {
  const version = await store.beginListing(listing);
  const only = { domains: ["a.example"], rejects: [], isLast: true };
  await store.addDomains({ ...listing, ...only, version, at });
}

/** Commits a page, with one item; the last one where no pass is left. */
async function commit(runId: string, pass: object | null = { cursor: 1 }): Promise<void> {
  const version = (await store.pullPlace(name))?.version ?? 0;
  const counts = { read: 1, written: 1, unchanged: 0, missing: 0 };
  const page = { pass, counts, rejects: [], keys: ["k"], isRefusal: false, at };
  await store.commitPage({ ...name, runId, version, ...page });
}

/** An attempt of another process, which does `between` before its transaction number `late` begins. */
function lateAttempt(
  late: number,
  between: () => Promise<void>,
): ReturnType<typeof createPullRounds> {
  const database = openDatabase(join(test.folder, "state.db"));
  onTestFinished(() => database.close());
  const { state } = database;
  let writes = 0;
  const write: typeof state.write = async (work) => {
    if (++writes === late) await between();
    return await state.write(work);
  };
  return createPullRounds({ ...state, write });
}

it.each([1, 2, 3])(
  "an attempt to begin a pull that is late in transaction %i forgets nothing of the round",
  async (late) => {
    const { beginPull } = lateAttempt(late, async () => {
      await store.beginPull(beginning);
      await list();
      await commit("r1");
    });
    await beginPull(beginning);
    const place = await store.pullPlace(name);
    expect(place).toMatchObject({ domain: "a.example", pass: { cursor: 1 }, steps: 1 });
    await commit("r1");
    expect(await store.pullTally({ runId: "r1" })).toMatchObject({ repeated: 1, domains: 1 });
  },
);

it("an attempt to begin a pull that is late begins no round after the one that its run ended", async () => {
  await store.beginPull({ ...beginning, hasDomains: false });
  await commit("r1");
  await test.openRun("r2");
  const next = { ...beginning, runId: "r2", anew: false, hasDomains: false };
  await store.beginPull(next);
  await commit("r2", null);
  await store.beginPull(next);
  expect(await store.pullPlace(name)).toMatchObject({ begunBy: "r1", isDone: true });
});

it.each([1, 2, 3])(
  "an attempt to begin a pull anew that is late in transaction %i forgets nothing of another run",
  async (late) => {
    const { beginPull } = lateAttempt(late, async () => {
      await store.releaseLock({ name: "lock of r1", runId: "r1" });
      await test.openRun("r2");
      await store.beginPull({ ...beginning, runId: "r2" });
      const version = await store.beginListing({ ...listing, runId: "r2" });
      const only = { domains: ["a.example"], rejects: [], isLast: true };
      await store.addDomains({ ...listing, ...only, runId: "r2", version, at });
      await commit("r2");
    });
    await expect(beginPull(beginning)).rejects.toThrow(SupersededError);
    expect(await store.pullPlace(name)).toMatchObject({ domain: "a.example", begunBy: "r2" });
    await commit("r2");
    expect(await store.pullTally({ runId: "r2" })).toMatchObject({ repeated: 1 });
  },
);

it("an attempt to list domains that is late forgets none of a list that is made meanwhile", async () => {
  await store.beginPull(beginning);
  const { beginListing } = lateAttempt(2, list);
  await beginListing(listing);
  expect(await store.pullPlace(name)).toMatchObject({ domain: "a.example", isListed: true });
});

it("an attempt to list domains begins no list anew that is finished", async () => {
  await store.beginPull(beginning);
  const { beginListing } = lateAttempt(1, list);
  await expect(beginListing(listing)).rejects.toThrow("another attempt lists the domains");
  expect(await store.pullPlace(name)).toMatchObject({ domain: "a.example", isListed: true });
});
