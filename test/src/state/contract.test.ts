import { beforeEach, describe, expect, it } from "vitest";

import {
  CheckpointMovedError,
  NotBalancedError,
  StateUnavailableError,
  SupersededError,
} from "../../../src/errors.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import { at, implementations, name, staged, StoreUnderTest } from "./store-under-test.ts";

describe.each(implementations)("state store: $kind", ({ open }) => {
  let test: StoreUnderTest;
  let store: StateStore;

  beforeEach(async () => {
    test = await StoreUnderTest.open(open);
    ({ store } = test);
  });

  it("keeps a run as it was first opened", async () => {
    await test.openRun("r1");
    await test.openRun("r1");
    expect(await store.run("r1")).toMatchObject({ checkpointBefore: 0, outcome: null });
    expect(await store.run("none")).toBeUndefined();
  });

  it("refuses the receipt of an attempt that another has followed", async () => {
    await test.openRun("r1");
    await test.stage("r1", 1);
    const part = { runId: "r1", chunk: 1, stage: 1, part: 0, at };
    const sending = { ...part, form: "file", host: "h" } as const;
    const { attempts } = await store.beginPart(sending);
    await store.beginPart(sending);
    await store.movePart({ ...part, attempts, state: "uploaded", fileKey: "stale" });
    expect(await store.receipt(part)).toMatchObject({ state: "sending", fileKey: null });
    await test.accept("r1", 1, 1);
    await store.movePart({ ...part, attempts, state: "uploaded", fileKey: "stale" });
    await store.movePart({ ...part, attempts, state: "staged" });
    expect(await store.receipt(part)).toMatchObject({ state: "accepted", fileKey: "k" });
    await store.commitChunk({ runId: "r1", chunk: 1, stage: 1, at });
  });

  it("begins a run at the checkpoint as it is when the lock is held, and nowhere else once it has staged", async () => {
    await test.openRun("r1");
    await store.setCheckpoint({ ...name, version: 0, position: { offset: 7 }, reason: "test", at });
    const place = { runId: "r1", checkpointVersion: 1, from: { offset: 7 } };
    expect(await store.setRunRange({ ...place, to: { offset: 9 }, future: 3 })).toMatchObject({
      fromPosition: { offset: 7 },
      toPosition: { offset: 9 },
      future: 3,
      checkpointBefore: 1,
      checkpointVersion: 1,
    });
    await expect(store.setRunRange({ ...place, checkpointVersion: 0 })).rejects.toThrow(
      CheckpointMovedError,
    );
    const by = { configHash: "edited", placesAreLines: true };
    expect(await store.setRunRange({ ...place, ...by, from: null })).toMatchObject({
      ...by,
      fromPosition: null,
      toPosition: null,
      checkpointVersion: 1,
    });
    await store.beginStaging({ runId: "r1", chunk: 1, host: "h" });
    const again = { ...place, configHash: "again", placesAreLines: false };
    expect(await store.setRunRange(again)).toMatchObject({ ...by, fromPosition: null });
  });

  it("answers a call that comes after its end", async () => {
    const again = await open(test.folder);
    await again.close();
    await expect(again.run("r1")).rejects.toThrow(StateUnavailableError);
  });

  it("keeps the first outcome of a run", async () => {
    await test.openRun("r1");
    await store.endRun({ runId: "r1", outcome: "cancelled", endedAt: at });
    await store.endRun({ runId: "r1", outcome: "done", endedAt: at });
    expect(await store.run("r1")).toMatchObject({ outcome: "cancelled", endedAt: at });
  });

  it("is the same store when it is opened again, and another in another folder", async () => {
    const again = await open(test.folder);
    expect(again.storeId).toBe(store.storeId);
    await again.close();
  });

  it("begins a chunk where the newest staging of the one before ended", async () => {
    await test.openRun("r1");
    expect(await store.beginStaging({ runId: "r1", chunk: 1, host: "h" })).toMatchObject({
      stage: 1,
      from: null,
    });
    await store.finishStage({ runId: "r1", chunk: 1, stage: 1, ...staged });
    const next = await store.beginStaging({ runId: "r1", chunk: 2, host: "h" });
    expect(next).toMatchObject({ stage: 1, from: { offset: 100 } });
  });

  it("gives up every later chunk with the one that is staged again", async () => {
    await test.openRun("r1");
    for (const chunk of [1, 2, 3]) await test.stage("r1", chunk);
    await test.accept("r1", 3, 1);
    await test.stage("r1", 2);
    const third = { runId: "r1", chunk: 3, stage: 1, at };
    const part = { ...third, part: 1, form: "file", host: "h" } as const;
    await expect(store.beginPart(part)).rejects.toThrow(SupersededError);
    await expect(store.commitChunk(third)).rejects.toThrow(SupersededError);
    expect((await store.run("r1"))?.possiblyRepeated).toBe(10);
    expect(await store.staging({ runId: "r1", chunk: 1, stage: 1 })).toMatchObject({
      state: "staged",
    });
  });

  it("refuses the writes of a staging that is not the newest", async () => {
    await test.openRun("r1");
    await store.beginStaging({ runId: "r1", chunk: 1, host: "h" });
    await store.beginStaging({ runId: "r1", chunk: 1, host: "h" });
    const old = { runId: "r1", chunk: 1, stage: 1 };
    await expect(store.finishStage({ ...old, ...staged })).rejects.toThrow(SupersededError);
    await expect(store.addRejects({ ...old, rejects: [], at })).rejects.toThrow(SupersededError);
    await expect(store.beginPart({ ...old, part: 0, form: "file", host: "h", at })).rejects.toThrow(
      SupersededError,
    );
  });

  it("saves the checkpoint only when every record is accepted or refused (I1)", async () => {
    await test.openRun("r1");
    await test.stage("r1", 1);
    const chunk = { runId: "r1", chunk: 1, stage: 1 };
    await expect(store.commitChunk({ ...chunk, at })).rejects.toThrow(NotBalancedError);
    await store.beginPart({ ...chunk, part: 0, form: "body", host: "h", at });
    await test.move({ ...chunk, part: 0, state: "accepted", at });
    await expect(store.commitChunk({ ...chunk, at })).rejects.toThrow("6 accepted and 0 refused");
    expect(await store.checkpoint(name)).toMatchObject({ version: 0, position: null });
    await store.beginPart({ ...chunk, part: 1, form: "body", host: "h", at });
    await test.move({ ...chunk, part: 1, state: "accepted", at });
    await store.commitChunk({ ...chunk, at });
    await store.commitChunk({ ...chunk, at });
    expect(await store.checkpoint(name)).toMatchObject({ version: 1, position: { offset: 100 } });
  });

  it("commits chunks in their order only", async () => {
    await test.openRun("r1");
    await test.stage("r1", 1);
    await test.stage("r1", 2);
    await test.accept("r1", 2, 1);
    const second = { runId: "r1", chunk: 2, stage: 1, at };
    await expect(store.commitChunk(second)).rejects.toThrow("the chunk before is not committed");
  });

  it("tells the positions in an inbox, whatever others hold", async () => {
    const set = async (sync: string, position: unknown): Promise<void> => {
      const to = { target: "t", sync, version: 0, position, reason: "test", at };
      await store.setCheckpoint(to);
    };
    await set("ours", { inbox: "i", seq: 7 });
    await set("of another", { inbox: "other", seq: 8 });
    await set("of none", { after: "a\u0000b" });
    expect(await store.positions({ inbox: "i" })).toEqual([
      { target: "t", sync: "ours", position: { inbox: "i", seq: 7 } },
    ]);
  });

  it("stops a run whose checkpoint someone moved", async () => {
    await test.openRun("r1");
    await test.stage("r1", 1);
    await test.accept("r1", 1, 1);
    await store.setCheckpoint({ ...name, version: 0, position: null, reason: "test", at });
    await expect(store.commitChunk({ runId: "r1", chunk: 1, stage: 1, at })).rejects.toThrow(
      CheckpointMovedError,
    );
    await expect(
      store.setCheckpoint({ ...name, version: 0, position: null, reason: "late", at }),
    ).rejects.toThrow(CheckpointMovedError);
    expect(await store.checkpointAudit(name)).toMatchObject([{ version: 1, reason: "test" }]);
  });

  it("counts a body or a confirm that is repeated after a lost answer, and no repeated PUT", async () => {
    await test.openRun("r1");
    await test.stage("r1", 1);
    const part = { runId: "r1", chunk: 1, stage: 1, part: 0, host: "h", at };
    await store.beginPart({ ...part, form: "file" });
    await store.beginPart({ ...part, form: "file" });
    expect((await store.run("r1"))?.possiblyRepeated).toBe(0);
    await test.move({ ...part, state: "uploaded", fileKey: "k" });
    await store.beginPart({ ...part, form: "file", confirm: "k" });
    expect((await store.run("r1"))?.possiblyRepeated).toBe(0);
    await store.beginPart({ ...part, form: "file", confirm: "k" });
    expect((await store.run("r1"))?.possiblyRepeated).toBe(10);
    await store.beginPart({ ...part, part: 1, form: "body" });
    await test.move({ ...part, part: 1, state: "staged" });
    await store.beginPart({ ...part, part: 1, form: "body" });
    expect((await store.run("r1"))?.possiblyRepeated).toBe(10);
    await store.beginPart({ ...part, part: 1, form: "body" });
    expect((await store.run("r1"))?.possiblyRepeated).toBe(14);
  });

  it("counts what was under way when a staging is given up", async () => {
    await test.openRun("r1");
    await test.stage("r1", 1);
    await test.accept("r1", 1, 1);
    await store.beginStaging({ runId: "r1", chunk: 1, host: "h" });
    expect((await store.run("r1"))?.possiblyRepeated).toBe(10);
    await store.dropStagings({ runId: "r1" });
    expect((await store.run("r1"))?.possiblyRepeated).toBe(10);
  });

  it("splits a part once, whatever it is asked later", async () => {
    await test.openRun("r1");
    await test.stage("r1", 1);
    const part = { runId: "r1", chunk: 1, stage: 1, part: 0, host: "h", at };
    await store.beginPart({ ...part, form: "file" });
    const files = { gzipBytes: 1, jsonBytes: 1, jsonlSha256: "x", gzipSha256: "y" };
    const rest = { part: 1, ranges: [[0, 3] as const, [4, 10] as const], records: 9, ...files };
    const reject = {
      stream: "account",
      place: "a.csv:5",
      key: "k4",
      step: "send" as const,
      code: "refused_by_service",
      reason: "refused",
    };
    const split = { ...part, parts: [rest], rejects: [reject], isTooLarge: false };
    expect(await store.splitPart(split)).toEqual({ parts: [1] });
    expect(await store.splitPart({ ...split, parts: [] })).toEqual({ parts: [1] });
    expect(await store.rejects({ runId: "r1", limit: 10 })).toMatchObject([{ place: "a.csv:5" }]);
    await store.beginPart({ ...part, part: 1, form: "file" });
    await test.move({ ...part, part: 1, state: "uploaded", fileKey: "k1" });
    await store.beginPart({ ...part, part: 1, form: "file", confirm: "k1" });
    await test.move({ ...part, part: 1, state: "accepted" });
    await store.commitChunk({ runId: "r1", chunk: 1, stage: 1, at });
    expect(await store.tally({ runId: "r1", staged: false })).toMatchObject({
      read: 10,
      sent: 9,
      rejected: 1,
      chunks: 1,
      parts: 1,
    });
  });

  it("stops splitting when the mapping must be wrong", async () => {
    await test.openRun("r1");
    await test.stage("r1", 1);
    const part = { runId: "r1", chunk: 1, stage: 1, part: 0, host: "h", at };
    const splitsMax = 200;
    await store.beginPart({ ...part, form: "file" });
    const files = { gzipBytes: 1, jsonBytes: 1, jsonlSha256: "x", gzipSha256: "y" };
    const parts = Array.from({ length: splitsMax + 1 }, (_, index) => ({
      part: index + 1,
      ranges: [],
      records: 0,
      ...files,
    }));
    await expect(
      store.splitPart({ ...part, parts, rejects: [], isTooLarge: false, splitsMax }),
    ).rejects.toThrow("extra ones were needed");
    const most = parts.slice(0, splitsMax);
    expect(
      (await store.splitPart({ ...part, parts: most, rejects: [], isTooLarge: false, splitsMax }))
        .parts,
    ).toHaveLength(splitsMax);
  });

  it("prunes ended runs with their rejects and keeps what fingerprints rest on", async () => {
    await test.openRun("r1");
    await test.stage("r1", 1);
    await test.accept("r1", 1, 1);
    await store.commitChunk({ runId: "r1", chunk: 1, stage: 1, at });
    for (const runId of ["r2", "r3", "r4"]) await test.openRun(runId);
    await store.endRun({ runId: "r1", outcome: "done", endedAt: at });
    await store.endRun({ runId: "r2", outcome: "failed", endedAt: at });
    await store.endRun({ runId: "r3", outcome: "done", endedAt: at });
    expect(await store.pruneRuns({ before: "2026-02-01T00:00:00.000Z" })).toBe(2);
    expect(await store.runs({ limit: 10 })).toMatchObject([{ runId: "r4" }, { runId: "r3" }]);
    expect(await store.staging({ runId: "r1", chunk: 1, stage: 1 })).toMatchObject({
      state: "committed",
    });
  });

  it("keeps the newest success, which later runs are compared with, but no rows and keys of its rejects", async () => {
    const { target, sync } = name;
    await test.openRun("r1");
    const { stage } = await store.beginStaging({ runId: "r1", chunk: 1, host: "h" });
    const place = { runId: "r1", chunk: 1, stage };
    const why = { step: "map", code: "required", reason: "bad" } as const;
    const reject = { stream: "account", place: "a.csv:2", key: "k", row: "{}", ...why };
    await store.addRejects({ ...place, rejects: [reject], at });
    const counts = { ...staged.counts, read: 11, rejected: 1 };
    await test.commit(place, { counts });
    await store.endRun({ runId: "r1", outcome: "done_with_rejects", endedAt: at });
    await test.openRun("r2");
    await store.endRun({ runId: "r2", outcome: "failed", endedAt: at });
    expect(await store.openRejectCounts({ target })).toEqual([{ sync, open: 1 }]);
    const read = await store.tally({ runId: "r1", staged: false });

    expect(await store.pruneRuns({ before: "2026-02-01T00:00:00.000Z" })).toBe(1);
    expect(await store.lastSuccesses({ target, syncs: [sync] })).toEqual([{ sync, endedAt: at }]);
    expect(await store.tally({ runId: "r1", staged: false })).toEqual(read);
    expect(await store.rejects({ runId: "r1", limit: 9 })).toMatchObject([
      { place: "a.csv:2", key: null, row: null, isOpen: false },
    ]);
    expect(await store.openRejectCounts({ target })).toEqual([]);
  });
});
