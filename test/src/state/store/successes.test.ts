import { beforeEach, describe, expect, it } from "vitest";

import type { RunKind, RunRequest, Outcome } from "../../../../src/state/contract/runs/runs.ts";
import type { StateStore } from "../../../../src/state/state-store.ts";
import { someOf } from "../../../support/trials.ts";
import { at, implementations, name, StoreUnderTest } from "../store-under-test.ts";

const { target } = name;

/** The time of this minute of the first day. */
function minute(number: number): string {
  return new Date(Date.parse(at) + number * 60_000).toISOString();
}

describe.each(someOf(implementations, 2))("the last success: $kind", ({ open }) => {
  let store: StateStore;
  let runs = 0;

  beforeEach(async () => {
    ({ store } = await StoreUnderTest.open(open));
  });

  /** A run that began in one minute, and ended in the next. */
  const ran = async (
    began: number,
    outcome: Outcome | undefined,
    how: { readonly kind?: RunKind; readonly request?: RunRequest; readonly at?: string } = {},
  ): Promise<void> => {
    const runId = `r${(runs += 1)}`;
    const workflow = { workflowId: "w", firstRunId: runId, temporalId: "t", configHash: "c" };
    const { kind = "sync", request = {}, at: place = target } = how;
    const opening = { ...workflow, runId, sync: name.sync, target: place, kind, request };
    await store.openRun({ ...opening, startedAt: minute(began) });
    if (outcome !== undefined) await store.endRun({ runId, outcome, endedAt: minute(began + 1) });
  };
  const last = async (): Promise<unknown> =>
    await store.lastSuccesses({ target, syncs: [name.sync, "other"] });

  it("is the end of the newest run that moved all there was, and of none before", async () => {
    await ran(1, "failed");
    await ran(2, undefined);
    expect(await last()).toEqual([]);
    await ran(3, "done");
    await ran(5, "done_with_rejects", { kind: "inbox" });
    for (const outcome of ["failed", "cancelled", "busy", "abandoned"] as const)
      await ran(7, outcome);
    await ran(8, "done", { kind: "replay", request: { replay: { run: "r1" } } });
    await ran(8, "done", { kind: "backfill" });
    await ran(8, "done", { at: "production main" });
    expect(await last()).toEqual([{ sync: name.sync, endedAt: minute(6) }]);
    await ran(9, "done");
    expect(await last()).toEqual([{ sync: name.sync, endedAt: minute(10) }]);
  });

  it("is not of a run that was to read some rows only", async () => {
    await ran(1, "done", { request: { full: true } });
    await ran(3, "done", { request: { limit: 10 } });
    await ran(5, "done", { kind: "pull", request: { limit: 10 } });
    expect(await last()).toEqual([{ sync: name.sync, endedAt: minute(2) }]);
  });

  it("is of a pull once its round has ended, and not of a night that calls_max stopped", async () => {
    const night = async (
      began: number,
      pass: { readonly cursor: number } | null,
    ): Promise<void> => {
      await ran(began, undefined, { kind: "pull" });
      const [runId, pull] = [`r${runs}`, { target, pull: name.sync }];
      const held = { runId, kind: "pull", workflowId: "w", firstRunId: runId } as const;
      await store.takeLock({ name: `lock of ${runId}`, ...held, at: minute(began) });
      const hashes = { configHash: "c", queryHash: "q", writeHash: "w" };
      await store.beginPull({ ...pull, ...hashes, runId, anew: false, hasDomains: false });
      const { version = 0 } = (await store.pullPlace(pull)) ?? {};
      const counts = { read: 1, written: 1, unchanged: 0, missing: 0 };
      const page = { pass, counts, rejects: [], keys: [], isRefusal: false, at: minute(began) };
      await store.commitPage({ ...pull, ...page, runId, version });
      await store.endRun({ runId, outcome: "done", endedAt: minute(began + 1) });
    };
    await night(1, { cursor: 1 });
    expect(await last()).toEqual([]);
    await night(3, null);
    await night(5, { cursor: 1 });
    expect(await last()).toEqual([{ sync: name.sync, endedAt: minute(4) }]);
    // Pruning keeps this run, and removes the newer one that calls_max stopped.
    expect(await store.pruneRuns({ before: minute(10) })).toBe(2);
    expect(await last()).toEqual([{ sync: name.sync, endedAt: minute(4) }]);
  });

  it("is of the run that was opened last, though the clock stood in the future before", async () => {
    await ran(1_000_000, "done");
    await ran(1, "done");
    expect(await last()).toEqual([{ sync: name.sync, endedAt: minute(2) }]);
  });

  it("stands beside when a checkpoint moved", async () => {
    expect(await store.checkpointTimes({ target })).toEqual([]);
    const change = { version: 0, position: { offset: 1 }, reason: "test" };
    await store.setCheckpoint({ ...name, ...change, at: minute(2) });
    await store.setCheckpoint({ ...name, ...change, target: "production main", at: minute(4) });
    expect(await store.checkpointTimes({ target })).toEqual([
      { sync: name.sync, updatedAt: minute(2) },
    ]);
  });
});
