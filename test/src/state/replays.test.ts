import { beforeEach, describe, expect, it } from "vitest";

import type { RejectEntry } from "../../../src/state/contract/rejects/rejects.ts";
import { transactionRowsMax } from "../../../src/state/limits.ts";
import { ageOf } from "../../../src/state/rules/keys/ages.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import { numbers } from "../../support/sequences.ts";
import { someOf } from "../../support/trials.ts";
import { at, implementations, name, staged, StoreUnderTest } from "./store-under-test.ts";

function entry(place: string, step: RejectEntry["step"] = "map", code = "required"): RejectEntry {
  return { stream: "account", place, step, code, reason: "bad" };
}

describe.each(someOf(implementations, 2))("replays: $kind", ({ open }) => {
  let test: StoreUnderTest;
  let store: StateStore;

  beforeEach(async () => {
    test = await StoreUnderTest.open(open);
    ({ store } = test);
    await test.openRun("r1");
  });

  /** Stages a chunk that rejects these rows, and commits it. Returns its send. */
  const reject = async (chunk: number, rejects: readonly RejectEntry[]): Promise<number> => {
    const { stage, send } = await store.beginStaging({ runId: "r1", chunk, host: "h" });
    await store.addRejects({ runId: "r1", chunk, stage, rejects, at });
    await store.finishStage({ runId: "r1", chunk, stage, ...staged, to: { chunk } });
    await test.accept("r1", chunk, stage);
    await store.commitChunk({ runId: "r1", chunk, stage, at });
    return send;
  };
  const openReplay = async (runId: string, code?: string): Promise<void> => {
    const workflow = { workflowId: runId, firstRunId: runId, kind: "replay" } as const;
    const opening = { temporalId: "t", configHash: "c", request: {}, startedAt: at };
    await store.openRun({ runId, ...name, ...workflow, ...opening });
    await store.takeLock({ name: `lock of ${runId}`, runId, ...workflow, at });
    await store.listReplay({ runId, run: "r1", code });
  };
  const begin = async (runId: string): Promise<unknown> =>
    await store.beginStaging({ runId, chunk: 1, host: "h" }).catch((error: unknown) => error);
  const places = async (runId: string): Promise<string[]> => {
    const all: string[] = [];
    for (let after = 0; ;) {
      const page = await store.replayPage({ runId, after, limit: 600 });
      if (page === undefined) return all;
      all.push(...page.places);
      after = page.last;
    }
  };

  it("lists rejects page by page, each page of one span with where that was read", async () => {
    const first = await reject(1, [
      { ...entry("f:2"), rowNumber: 4 },
      { ...entry("f:3", "send"), rowNumber: 7 },
    ]);
    await reject(2, [entry("f:9")]);
    await openReplay("p1");
    expect(await store.replayPage({ runId: "p1", after: 0, limit: 10 })).toEqual({
      places: ["f:2", "f:3"],
      ages: [ageOf(first, 4), ageOf(first, 7)],
      last: 2,
      from: null,
      to: { chunk: 1 },
    });
    expect(await store.replayPage({ runId: "p1", after: 2, limit: 10 })).toMatchObject({
      places: ["f:9"],
      from: { chunk: 1 },
      to: { chunk: 2 },
    });
    expect(await store.replayPage({ runId: "p1", after: 1, limit: 10 })).toMatchObject({
      places: ["f:3"],
      last: 2,
    });
  });

  it("takes a row of which the order is not known for older than all of its chunk", async () => {
    const send = await reject(1, [entry("f:2")]);
    await openReplay("p1");
    const page = await store.replayPage({ runId: "p1", after: 0, limit: 10 });
    expect(page?.ages).toEqual([ageOf(send, 0)]);
  });

  it.each([transactionRowsMax - 1, transactionRowsMax, transactionRowsMax + 1])(
    "lists all of %i rejects, each once, in their order",
    async (count) => {
      const all = numbers(count).map((row) => `f:${row}`);
      await reject(
        1,
        all.map((place) => entry(place)),
      );
      await openReplay("p1");
      await store.listReplay({ runId: "p1", run: "r1" });
      expect(await places("p1")).toEqual(all);
    },
  );

  it("lists those of one code, and none that another replay has taken", async () => {
    await reject(1, [entry("f:2"), entry("f:3", "map", "not_domain")]);
    await openReplay("p1", "not_domain");
    expect(await places("p1")).toEqual(["f:3"]);
    const { stage } = await store.beginStaging({ runId: "p1", chunk: 1, host: "h" });
    await store.supersedeRejects({ runId: "p1", chunk: 1, stage, places: ["f:3"] });
    expect(await store.replayCounts({ run: "r1" })).toEqual({
      open: 1,
      replayed: 0,
      superseded: 1,
      uncommitted: 0,
    });
    await openReplay("p2");
    expect(await places("p2")).toEqual(["f:2"]);
  });

  it("marks with a chunk's commit the rejects that it took, and moves no checkpoint", async () => {
    await reject(
      1,
      numbers(5).map((row) => entry(`f:${row}`)),
    );
    const before = await store.checkpoint(name);
    await openReplay("p1");
    const { stage } = await store.beginStaging({ runId: "p1", chunk: 1, host: "h" });
    await store.finishStage({ runId: "p1", chunk: 1, stage, ...staged, to: 3 });
    await test.accept("p1", 1, stage);
    await store.commitChunk({ runId: "p1", chunk: 1, stage, at });
    expect((await store.rejects({ runId: "r1", limit: 9 })).map((one) => one.replayedBy)).toEqual([
      "p1",
      "p1",
      "p1",
      null,
      null,
    ]);
    expect(await store.checkpoint(name)).toEqual(before);
  });

  it("leaves open, once it is given up, what it found superseded and did not commit", async () => {
    await reject(1, [entry("f:1"), entry("f:2"), entry("f:3")]);
    await openReplay("p1");
    const first = await store.beginStaging({ runId: "p1", chunk: 1, host: "h" });
    const committed = { runId: "p1", chunk: 1, stage: first.stage };
    await store.supersedeRejects({ ...committed, places: ["f:1"] });
    await store.finishStage({ ...committed, ...staged, to: 2 });
    const { stage } = await store.beginStaging({ runId: "p1", chunk: 2, host: "h" });
    await store.supersedeRejects({ runId: "p1", chunk: 2, stage, places: ["f:3"] });
    await test.accept("p1", 1, first.stage);
    await store.commitChunk({ ...committed, at });
    expect(await store.replayCounts({ run: "r1" })).toMatchObject({ open: 0, superseded: 2 });
    await store.dropStagings({ runId: "p1" });
    const counts = { open: 1, replayed: 1, superseded: 1, uncommitted: 0 };
    expect(await store.replayCounts({ run: "r1" })).toEqual(counts);
    const left = await store.rejectsWhere({ isOpen: true, ...name, limit: 9 });
    expect(left.map(({ place }) => place)).toEqual(["f:3"]);
    await openReplay("p2");
    expect(await places("p2")).toEqual(["f:3"]);
  });

  it("says that nobody sends what a replay left that lost its lock", async () => {
    await reject(1, [entry("f:1")]);
    await openReplay("p1");
    for (const runId of ["p1", "r1"]) await store.releaseLock({ name: `lock of ${runId}`, runId });
    expect(await begin("p1")).toMatchObject({
      code: "Superseded",
      hint: "look at `sluice runs list`: begin another replay for what this one left",
    });
    expect(await begin("r1")).toMatchObject({
      hint: "look at `sluice runs list`: a later run sends what this one left",
    });
  });

  it("leaves open what an attempt finds superseded that its successor has given up meanwhile", async () => {
    await reject(1, [entry("f:1"), entry("f:2")]);
    await openReplay("p1");
    const { stage } = await store.beginStaging({ runId: "p1", chunk: 1, host: "h" });
    await store.dropStagings({ runId: "p1" });
    const late = store.supersedeRejects({ runId: "p1", chunk: 1, stage, places: ["f:2"] });
    await expect(late).rejects.toThrow(`stage ${stage} is not the newest any more`);
    expect(await store.replayCounts({ run: "r1" })).toMatchObject({ open: 2, superseded: 0 });
  });

  it("leaves open, once its chunk is cut, what it found superseded by a row that was not sent", async () => {
    await reject(1, [entry("f:1"), entry("f:2")]);
    await openReplay("p1");
    const { stage } = await store.beginStaging({ runId: "p1", chunk: 1, host: "h" });
    await store.supersedeRejects({ runId: "p1", chunk: 1, stage, places: ["f:2"] });
    await store.finishStage({ runId: "p1", chunk: 1, stage, ...staged, to: 2 });
    const part = { runId: "p1", chunk: 1, stage, part: 0, at };
    await store.beginPart({ ...part, form: "body", host: "h" });
    await store.cutChunk({ ...part, rejects: [] });
    await store.dropStagings({ runId: "p1" });
    const counts = { open: 2, replayed: 0, superseded: 0, uncommitted: 0 };
    expect(await store.replayCounts({ run: "r1" })).toEqual(counts);
    await openReplay("p2");
    expect(await places("p2")).toEqual(["f:1", "f:2"]);
  });
});
