import { beforeEach, describe, expect, it } from "vitest";

import { SupersededError } from "../../../src/errors.ts";
import type { PageCommit } from "../../../src/state/contract/pull/pull-pages.ts";
import type { PullPlace } from "../../../src/state/contract/pull/pull-rounds.ts";
import { transactionRowsMax } from "../../../src/state/limits.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import { numbers } from "../../support/sequences.ts";
import { someOf } from "../../support/trials.ts";
import { at, implementations, StoreUnderTest } from "./store-under-test.ts";

const name = { target: "sandbox main", pull: "scores" };
const beginning = {
  ...name,
  runId: "r1",
  configHash: "c",
  queryHash: "q",
  writeHash: "w",
  anew: false,
  hasDomains: false,
};
const counts = { read: 2, written: 1, unchanged: 1, missing: 0 };
const reject = {
  stream: "accounts",
  place: "mk-9",
  step: "write",
  code: "refused_by_source",
  reason: "no",
} as const;

describe.each(someOf(implementations, 2))("pulls in a state store: $kind", ({ open }) => {
  let test: StoreUnderTest;
  let store: StateStore;

  beforeEach(async () => {
    test = await StoreUnderTest.open(open);
    ({ store } = test);
    await test.openRun("r1");
  });

  async function place(): Promise<PullPlace> {
    const found = await store.pullPlace(name);
    if (found === undefined) throw new Error("the pull has no place");
    return found;
  }

  async function step(
    runId = "r1",
  ): Promise<Pick<PageCommit, "pull" | "runId" | "target" | "version">> {
    return { ...name, runId, version: (await place()).version };
  }

  async function commit(more: Partial<PageCommit> = {}): Promise<void> {
    const page = { pass: null, counts, rejects: [], keys: [], isRefusal: false, at };
    await store.commitPage({ ...page, ...(await step()), ...more });
  }

  it("has no place for a pull that never ran", async () => {
    expect(await store.pullPlace(name)).toBeUndefined();
    expect(await store.pullTally({ runId: "r1" })).toBeUndefined();
  });

  it("moves after a page with all that it brought, once", async () => {
    await store.beginPull(beginning);
    const here = await step();
    await store.keepPage({ ...here, page: { items: [1] } });
    const page = { pass: { cursor: 10 }, rejects: [reject], counts: { ...counts, read: 3 } };
    await commit({ ...here, ...page, keys: ["a", "b"] });
    await commit({ ...here, ...page, keys: ["a", "b"] });
    expect(await place()).toMatchObject({ pass: { cursor: 10 }, page: null, isDone: false });
    expect(await store.pullTally({ runId: "r1" })).toMatchObject({
      ...counts,
      read: 3,
      results: 3,
      refused: 1,
      rejected: 1,
      pages: 1,
      repeated: 0,
      roundsDone: 0,
    });
    expect(await store.rejects({ runId: "r1", limit: 10 })).toMatchObject([
      { chunk: here.version, ordinal: 1, place: "mk-9", step: "write" },
    ]);
  });

  it("keeps a page over a restart, and the first of two that came", async () => {
    await store.beginPull(beginning);
    const here = await step();
    expect(await store.keepPage({ ...here, page: { items: ["first"] } })).toBe("kept");
    expect(await store.keepPage({ ...here, page: { items: ["second"] } })).toBe("moved");
    const again = await open(test.folder);
    expect(await again.pullPlace(name)).toMatchObject({ page: { items: ["first"] } });
    await again.close();
  });

  it("keeps no page of a place that has moved on", async () => {
    await store.beginPull(beginning);
    const here = await step();
    await commit({ pass: { cursor: 1 } });
    expect(await store.keepPage({ ...here, page: { items: [] } })).toBe("moved");
    await store.setPass({ ...here, pass: { cursor: 99 } });
    expect(await place()).toMatchObject({ page: null, pass: { cursor: 1 } });
  });

  it.each([
    [1, "ceiling"],
    [2, "granted"],
    [3, "granted"],
  ])("with calls_max %i answers the second call with %s", async (callsMax, answer) => {
    await store.beginPull(beginning);
    expect(await store.beginCall({ ...(await step()), callsMax })).toBe("granted");
    await commit({ pass: {} });
    expect(await store.beginCall({ ...(await step()), callsMax })).toBe(answer);
    const calls = answer === "granted" ? 2 : 1;
    expect(await store.pullTally({ runId: "r1" })).toMatchObject({ calls, possiblyPaidTwice: 0 });
  });

  it("counts a call for what may have come already, but none that certainly did not", async () => {
    await store.beginPull(beginning);
    const call = { ...(await step()), callsMax: 10 };
    await store.beginCall(call);
    await store.forgetCall({ ...call, wasAsking: false });
    expect(await store.pullTally({ runId: "r1" })).toMatchObject({ calls: 0 });
    await store.beginCall(call);
    expect(await store.pullTally({ runId: "r1" })).toMatchObject({
      calls: 1,
      possiblyPaidTwice: 0,
    });
    await store.beginCall(call);
    expect(await store.pullTally({ runId: "r1" })).toMatchObject({
      calls: 2,
      possiblyPaidTwice: 1,
    });
  });

  it("counts what may be paid twice in the run that asks, and not in one whose call did not leave", async () => {
    await store.beginPull(beginning);
    await store.beginCall({ ...(await step()), callsMax: 10 });
    for (const [runId, leaves] of [
      ["r2", false],
      ["r3", true],
    ] as const) {
      await test.openRun(runId);
      await store.beginPull({ ...beginning, runId });
      const call = { ...(await step(runId)), callsMax: 10 };
      await store.beginCall(call);
      if (!leaves) await store.forgetCall({ ...call, wasAsking: true });
    }
    expect(await store.pullTally({ runId: "r2" })).toMatchObject({
      calls: 0,
      possiblyPaidTwice: 0,
    });
    expect(await store.pullTally({ runId: "r3" })).toMatchObject({
      calls: 1,
      possiblyPaidTwice: 1,
    });
  });

  it("asks for no page that has come, or that is behind", async () => {
    await store.beginPull(beginning);
    const call = { ...(await step()), callsMax: 10 };
    await store.keepPage({ ...call, page: { items: [] } });
    expect(await store.beginCall(call)).toBe("moved");
    await commit({ pass: {} });
    expect(await store.beginCall(call)).toBe("moved");
  });

  it("continues with a round in the next run, and says so", async () => {
    await store.beginPull(beginning);
    await commit({ pass: { cursor: 1 } });
    await test.openRun("r2");
    await store.beginPull({ ...beginning, runId: "r2" });
    expect(await place()).toMatchObject({ pass: { cursor: 1 }, begunBy: "r1" });
    expect(await store.pullTally({ runId: "r1" })).toMatchObject({ isContinued: false });
    expect(await store.pullTally({ runId: "r2" })).toMatchObject({ isContinued: true });
  });

  it.each([
    ["the last has ended", {}, null],
    ["the query is another", { queryHash: "other" }, { cursor: 1 }],
    ["rows would be written in two ways", { writeHash: "other" }, { cursor: 1 }],
    ["it is asked for", { anew: true }, { cursor: 1 }],
  ])("begins a new round when %s", async (_, change, pass) => {
    await store.beginPull(beginning);
    await commit({ pass, keys: ["a"] });
    await store.keepPage({ ...(await step()), page: { items: [] } });
    await test.openRun("r2");
    await store.beginPull({ ...beginning, runId: "r2", ...change });
    expect(await place()).toMatchObject({ pass: null, page: null, begunBy: "r2", isDone: false });
    await commit({ runId: "r2", keys: ["a"] });
    expect(await store.pullTally({ runId: "r2" })).toMatchObject({ repeated: 0 });
  });

  it("opened a second time continues with the round that it began anew", async () => {
    await store.beginPull({ ...beginning, anew: true });
    await commit({ pass: { cursor: 1 } });
    await store.beginPull({ ...beginning, anew: true });
    expect(await place()).toMatchObject({ pass: { cursor: 1 } });
    expect(await store.pullTally({ runId: "r1" })).toMatchObject({ isContinued: false, pages: 1 });
  });

  it("keeps a page that is paid for when nothing was written and only the writing is another", async () => {
    await store.beginPull(beginning);
    await store.keepPage({ ...(await step()), page: { items: ["paid"] } });
    await store.beginPull({ ...beginning, writeHash: "fixed" });
    expect(await place()).toMatchObject({ page: { items: ["paid"] }, writeHash: "fixed" });
  });

  it("counts the items that came before in the round, on other pages and on their own", async () => {
    await store.beginPull(beginning);
    await commit({ pass: {}, keys: ["a", "b", "b"] });
    await commit({ pass: null, keys: ["b", "c"] });
    expect(await store.pullTally({ runId: "r1" })).toMatchObject({ repeated: 2, roundsDone: 1 });
  });

  it("goes over domains, each once, in the order in which they came first", async () => {
    await store.beginPull({ ...beginning, hasDomains: true });
    expect(await place()).toMatchObject({ isListed: false, domain: undefined });
    const listing = { ...name, runId: "r1", version: await store.beginListing(beginning), at };
    const some = { ...listing, rejects: [], isLast: false };
    await store.addDomains({ ...some, domains: ["b.example", "a.example", "b.example"] });
    await store.addDomains({ ...some, domains: ["a.example", "c.example"], rejects: [reject] });
    await store.addDomains({ ...some, domains: [], isLast: true });
    const seen: (string | undefined)[] = [];
    for (let now = await place(); !now.isDone; now = await place()) {
      seen.push(now.domain);
      await commit({ isRefusal: now.domain === "a.example", rejects: [reject] });
    }
    expect(seen).toEqual(["b.example", "a.example", "c.example"]);
    expect(await store.pullTally({ runId: "r1" })).toMatchObject({
      domains: 3,
      domainsDone: 2,
      domainsRefused: 1,
      pages: 2,
      results: 4,
      read: 7,
      refused: 4,
      rejected: 4,
    });
  });

  it("forgets all domains and keys of the last round, however many", async () => {
    const many = numbers(2 * transactionRowsMax + 1).map(String);
    const list = async (runId: string, domains: readonly string[]): Promise<void> => {
      const version = await store.beginListing({ ...name, runId });
      const stretch = { ...name, runId, version, rejects: [], isLast: true, at };
      await store.addDomains({ ...stretch, domains });
    };
    await store.beginPull({ ...beginning, hasDomains: true });
    await list("r1", many);
    await commit({ keys: many });
    await test.openRun("r2");
    await store.beginPull({ ...beginning, runId: "r2", hasDomains: true, queryHash: "other" });
    await list("r2", ["a.example"]);
    expect(await place()).toMatchObject({ domain: "a.example" });
    await commit({ runId: "r2", keys: many });
    expect(await store.pullTally({ runId: "r2" })).toMatchObject({ domains: 1, repeated: 0 });
    expect(await place()).toMatchObject({ isDone: true });
  });

  it("stays at a domain until its pass has ended", async () => {
    await store.beginPull({ ...beginning, hasDomains: true });
    const listing = { ...name, runId: "r1", version: await store.beginListing(beginning), at };
    await store.addDomains({ ...listing, domains: ["a.example"], rejects: [], isLast: true });
    await commit({ pass: { cursor: 1 } });
    expect(await place()).toMatchObject({ domain: "a.example", pass: { cursor: 1 } });
    await commit();
    expect(await place()).toMatchObject({ domain: undefined, isDone: true });
  });

  it("lets a run without the lock change nothing", async () => {
    await store.beginPull(beginning);
    const here = await step();
    await store.releaseLock({ name: "lock of r1", runId: "r1" });
    await expect(store.beginPull(beginning)).rejects.toThrow(SupersededError);
    await expect(store.beginListing(beginning)).rejects.toThrow(SupersededError);
    await expect(store.beginCall({ ...here, callsMax: 1 })).rejects.toThrow(SupersededError);
    await expect(commit()).rejects.toThrow(SupersededError);
    const domains = { ...here, domains: [], rejects: [], isLast: true, at };
    await expect(store.addDomains(domains)).rejects.toThrow(SupersededError);
  });

  it("lets a run without the lock forget nothing of the one that has it", async () => {
    await store.beginPull({ ...beginning, hasDomains: true });
    const listing = { ...name, runId: "r1", version: await store.beginListing(beginning), at };
    await store.addDomains({ ...listing, domains: ["a.example"], rejects: [], isLast: true });
    await test.openRun("r2");
    await store.releaseLock({ name: "lock of r2", runId: "r2" });
    const anew = { ...beginning, runId: "r2", anew: true, hasDomains: true };
    await expect(store.beginPull(anew)).rejects.toThrow(SupersededError);
    expect(await place()).toMatchObject({ domain: "a.example" });
  });

  it("counts the domains that are listed, and what was refused of one list only", async () => {
    await store.beginPull({ ...beginning, hasDomains: true });
    const list = async (): Promise<readonly number[]> => {
      const version = await store.beginListing({ ...name, runId: "r1" });
      const some = { ...name, runId: "r1", version, rejects: [reject], isLast: false, at };
      return [
        await store.addDomains({ ...some, domains: ["a.example", "b.example", "a.example"] }),
        await store.addDomains({ ...some, domains: ["b.example", "c.example"] }),
      ];
    };
    expect([await list(), await list()]).toEqual([
      [2, 3],
      [2, 3],
    ]);
    expect(await store.pullTally({ runId: "r1" })).toMatchObject({
      read: 2,
      refused: 2,
      rejected: 2,
    });
  });

  it("forgets what a pruned run added up, and keeps the place", async () => {
    await store.beginPull(beginning);
    await commit({ pass: { cursor: 1 } });
    // The newest success is not pruned.
    await test.openRun("r2");
    for (const runId of ["r1", "r2"]) await store.endRun({ runId, outcome: "done", endedAt: at });
    await store.pruneRuns({ before: "2027-01-01T00:00:00.000Z" });
    expect(await store.pullTally({ runId: "r1" })).toBeUndefined();
    expect(await place()).toMatchObject({ pass: { cursor: 1 } });
  });
});
