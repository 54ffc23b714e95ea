import { beforeEach, describe, expect, it } from "vitest";

import { hashBytes } from "../../../src/state/contract/keys/fingerprints.ts";
import type { RejectEntry } from "../../../src/state/contract/rejects/rejects.ts";
import type { RunKind, RunRequest } from "../../../src/state/contract/runs/runs.ts";
import type { StageName } from "../../../src/state/contract/sends/stagings.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import { someOf } from "../../support/trials.ts";
import { at, implementations, name, nowMs, staged, StoreUnderTest } from "./store-under-test.ts";

function entry(place: string, changes: Partial<RejectEntry> = {}): RejectEntry {
  return { stream: "account", place, step: "map", code: "required", reason: "bad", ...changes };
}

describe.each(someOf(implementations, 2))("open rejects: $kind", ({ open }) => {
  let test: StoreUnderTest;
  let store: StateStore;

  beforeEach(async () => {
    test = await StoreUnderTest.open(open);
    ({ store } = test);
  });

  type Story = {
    readonly kind?: RunKind;
    /** @default for a replay the beginning of its list, otherwise a place after the source's */
    readonly from?: unknown;
    readonly request?: RunRequest;
    readonly keys?: readonly string[];
    readonly outcome?: "done" | "failed";
  };

  /** A run that rejects these rows and has sent these keys, committed and ended. */
  const run = async (
    runId: string,
    rejects: readonly RejectEntry[],
    {
      kind = "sync",
      from = kind === "replay" ? null : { row: 1 },
      request = {},
      keys = [],
      outcome = "done",
    }: Story = {},
  ): Promise<void> => {
    const workflow = { workflowId: runId, firstRunId: runId, kind } as const;
    const opening = { temporalId: "t", configHash: "c", request, startedAt: at };
    await store.openRun({ runId, ...name, ...workflow, ...opening });
    await store.takeLock({ name: `lock of ${runId}`, runId, ...workflow, at });
    const { version: checkpointVersion } = await store.checkpoint(name);
    await store.setRunRange({ runId, checkpointVersion, from });
    const replay = request.replay;
    if (replay !== undefined) await store.listReplay({ runId, ...replay });
    const { stage, send } = await store.beginStaging({ runId, chunk: 1, host: "h" });
    await store.addRejects({ runId, chunk: 1, stage, rejects, at });
    await test.judge({
      runId,
      chunk: 1,
      stage,
      send,
      keys,
      rowNumbers: new Uint32Array(keys.length),
    });
    await store.finishStage({ runId, chunk: 1, stage, ...staged, to: 99 });
    await test.accept(runId, 1, stage);
    await store.commitChunk({ runId, chunk: 1, stage, at });
    await store.endRun({ runId, outcome, endedAt: at });
  };
  const openOf = async (code?: string): Promise<(readonly [string, number])[]> =>
    (await store.runsWithOpenRejects({ ...name, code })).map((one) => [one.runId, one.open]);
  const firstOf = async (which: { key?: string; since?: string }): Promise<string[]> =>
    (await store.rejectsWhere({ isOpen: true, ...name, ...which, limit: 1 })).map(
      ({ place }) => place,
    );
  const placesOf = async (of: object, limit = 10): Promise<string[]> =>
    (await store.rejectsOfKey({ ...name, key: "k", limit, ...of })).map(({ place }) => place);
  const places = async (): Promise<string[]> =>
    (await store.rejectsWhere({ isOpen: true, ...name, limit: 10 })).map(
      ({ runId, place }) => `${runId} ${place}`,
    );

  it("names the keys that earlier chunks of a run rejected, not those of second rows", async () => {
    const rejects = [
      entry("f:1", { key: "a\u0000" }),
      entry("f:2"),
      entry("f:3", { key: "b", step: "duplicate" }),
      entry("f:4", { key: "c", step: "send" }),
    ];
    await run("r", rejects);
    const of = { runId: "r", limit: 9 };
    const first = { chunk: 1, ordinal: 1, key: "a\u0000", place: "f:1" };
    const second = { chunk: 1, ordinal: 4, key: "c", place: "f:4" };
    expect(await store.rejectedKeys({ ...of, chunk: 2 })).toEqual([first, second]);
    expect(await store.rejectedKeys({ ...of, chunk: 2, after: first })).toEqual([second]);
    expect(await store.rejectedKeys({ ...of, chunk: 1 })).toEqual([]);
  });

  it("are told by key with those that are not open any more, of one sync, newest run first", async () => {
    await run("r1", [entry("t:1", { key: "k" }), entry("t:2", { key: "other" }), entry("t:3")]);
    await run("r2", [entry("t:4", { key: "k" })], { keys: ["k"] });
    await run("r3", [], { keys: ["k"] });
    expect(await placesOf({})).toEqual(["t:4", "t:1"]);
    expect(await placesOf({}, 1)).toEqual(["t:4"]);
    expect(await placesOf({ sync: "contacts" })).toEqual([]);
    expect(await placesOf({ target: "elsewhere" })).toEqual([]);
  });

  it("are those that no replay made good, in whichever run, newest run first", async () => {
    await run("r1", [entry("t:1"), entry("t:2", { code: "not_domain" }), entry("t:3")]);
    await run("r2", [entry("t:4")]);
    const replay = { run: "r1", code: "required" };
    await run("p1", [entry("t:3")], { kind: "replay", request: { replay } });
    expect(await places()).toEqual(["p1 t:3", "r2 t:4", "r1 t:2"]);
    expect(await openOf()).toEqual([
      ["r2", 1],
      ["r1", 1],
      ["p1", 1],
    ]);
    expect(await openOf("required")).toEqual([
      ["r2", 1],
      ["p1", 1],
    ]);
    const { sync, target } = name;
    expect(await store.openRejectCounts({ target })).toEqual([{ sync, open: 3 }]);
    expect(await store.openRejectCounts({ target: "elsewhere" })).toEqual([]);
    expect(await store.runsWithOpenRejects({ ...name, sync: "other" })).toEqual([]);
    expect(await store.runsWithOpenRejects({ target: "elsewhere" })).toEqual([]);
  });

  it("are asked for by key and time, and the limit counts what is asked for alone", async () => {
    await run("r1", [entry("t:1", { key: "k1" }), entry("t:2", { key: "k2" })]);
    expect(await firstOf({})).toEqual(["t:1"]);
    expect(await firstOf({ key: "k2" })).toEqual(["t:2"]);
    expect(await firstOf({ key: "k2", since: at })).toEqual(["t:2"]);
    expect(await firstOf({ since: "9999" })).toEqual([]);
  });

  it("are not those of rows that were rejected again, that came since, or that are gone", async () => {
    await run("r1", [entry("t:1"), entry("t:2", { key: "k2" }), entry("t:3", { key: "k3" })]);
    await run("r2", [entry("t:1"), entry("t:9", { code: "row_gone" })], { keys: ["k2"] });
    expect(await places()).toEqual(["r2 t:1", "r1 t:3"]);
  });

  it("are not those of rows that came since as they were before, also once later runs have come by", async () => {
    await run("r0", [], { keys: ["k1", "k2"] });
    await run("r1", [entry("t:1", { key: "k1" }), entry("t:2", { key: "k2" })]);
    expect(await places()).toEqual(["r1 t:1", "r1 t:2"]);
    await run("r2", [], { keys: ["k1"] });
    expect(await places()).toEqual(["r1 t:2"]);
    await run("r3", [], { keys: ["k3"] });
    await run("r4", [], { keys: ["k3"] });
    await run("r5", [], { keys: ["k3"] });
    expect(await places()).toEqual(["r1 t:2"]);
  });

  it("are those of a key that was there twice: what was sent is the other row", async () => {
    const twice = { key: "k1", step: "duplicate", code: "duplicate_key" } as const;
    await run("r1", [entry("t:2", twice)], { keys: ["k1"] });
    expect(await places()).toEqual(["r1 t:2"]);
    await run("r2", [], { from: null, keys: ["k1"] });
    expect(await places()).toEqual([]);
  });

  it("are not those of rows that came since, although later ones were given up", async () => {
    await run("r1", [entry("t:1", { key: "k1" }), entry("t:2", { key: "k2" })]);
    const staging = async (runId: string, keys: readonly string[]): Promise<StageName> => {
      await test.openRun(runId);
      const { stage, send } = await store.beginStaging({ runId, chunk: 1, host: "h" });
      const hashes = new Uint8Array(keys.length * hashBytes).fill(1);
      await test.judge({ runId, chunk: 1, stage, send, keys, hashes });
      return { runId, chunk: 1, stage };
    };
    await test.commit(await staging("r2", ["k2"]));
    await staging("r3", ["k1", "k2"]);
    await store.dropStagings({ runId: "r3" });
    // A failed run has not read the whole source.
    await store.endRun({ runId: "r2", outcome: "failed", endedAt: at });
    expect(await places()).toEqual(["r1 t:1"]);
  });

  it.each<[string, Story, boolean]>([
    ["are not those of before a run that read the whole source", { from: null }, false],
    ["are those of before a run that read on from its checkpoint", {}, true],
    [
      "are those of before a run that read some of the rows",
      { from: null, request: { limit: 5 } },
      true,
    ],
    ["are those of before a run that failed", { from: null, outcome: "failed" }, true],
  ])("%s", async (_, story, areOpen) => {
    await run("r1", [entry("t:1")]);
    await run("r2", [entry("t:2")], story);
    expect(await places()).toEqual(areOpen ? ["r2 t:2", "r1 t:1"] : ["r2 t:2"]);
  });

  it("are those of before a run that read on, also once the key where it began was erased", async () => {
    await run("r1", [entry("t:1")]);
    await run("r2", [], { from: { key: ["k9"] } });
    const erased = await store.eraseKey({ ...name, key: "k9", now: { nowMs } });
    expect(erased.positions).toBe(2);
    await run("r3", []);
    expect(await places()).toEqual(["r1 t:1"]);
  });

  it("are not among a chunk that was not committed, nor of a pull", async () => {
    await test.openRun("r1");
    const { stage } = await store.beginStaging({ runId: "r1", chunk: 1, host: "h" });
    await store.addRejects({ runId: "r1", chunk: 1, stage, rejects: [entry("t:1")], at });
    await run("s1", [entry("t:2")], { kind: "pull" });
    expect(await places()).toEqual([]);
  });
});
