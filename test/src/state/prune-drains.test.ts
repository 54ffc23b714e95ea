import { beforeEach, describe, expect, it } from "vitest";

import type { Outcome, RunKind } from "../../../src/state/contract/runs/runs.ts";
import { someOf } from "../../support/trials.ts";
import { at, implementations, name, StoreUnderTest } from "./store-under-test.ts";

const before = "2026-02-01T00:00:00.000Z";
const quietOf = name.sync;

describe.each(someOf(implementations, 2))("pruneRuns of drains: $kind", ({ open }) => {
  let test: StoreUnderTest;

  beforeEach(async () => {
    test = await StoreUnderTest.open(open);
  });

  /** Makes a run with one committed chunk. */
  async function run(runId: string, kind: RunKind, outcome: Outcome): Promise<void> {
    await test.openRun(runId, kind);
    await test.stage(runId, 1);
    await test.accept(runId, 1, 1);
    await test.store.commitChunk({ runId, chunk: 1, stage: 1, at });
    await test.store.endRun({ runId, outcome, endedAt: at });
  }

  async function left(): Promise<string[]> {
    return (await test.store.runs({ limit: 10 })).map(({ runId }) => runId);
  }

  it("removes those that had nothing to tell, the oldest first, but never the newest run", async () => {
    await run("r1", "inbox", "done");
    await run("r2", "inbox", "done_with_rejects");
    await run("r3", "sync", "done");
    await run("r4", "inbox", "failed");
    await run("r5", "inbox", "done");
    await run("r6", "inbox", "done");
    const { store } = test;
    expect(await store.pruneRuns({ before: at, quietOf })).toBe(0);
    expect(await store.pruneRuns({ before, quietOf: "contacts" })).toBe(0);
    expect(await store.pruneRuns({ before, quietOf, limit: 1 })).toBe(1);
    expect(await left()).toEqual(["r6", "r5", "r4", "r3", "r2"]);
    expect(await store.pruneRuns({ before, quietOf })).toBe(1);
    expect(await left()).toEqual(["r6", "r4", "r3", "r2"]);
  });

  it.each([
    { by: "a resend", runId: "r2", kind: "resend", outcome: "done" },
    { by: "drains that failed", runId: "r2", kind: "inbox", outcome: "failed" },
  ] as const)("keeps the last success where it was followed by $by", async (later) => {
    await run("r1", "inbox", "done");
    await run(later.runId, later.kind, later.outcome);
    const { store } = test;
    expect(await store.pruneRuns({ before, quietOf })).toBe(0);
    const { target, sync } = name;
    const last = await store.lastSuccesses({ target, syncs: [sync] });
    expect(last).toEqual([{ sync, endedAt: at }]);
  });

  it("keeps the newest of each target", async () => {
    await run("r1", "inbox", "done");
    await run("r2", "inbox", "done");
    const opening = { temporalId: "t", configHash: "c", request: {}, startedAt: at };
    const other = {
      ...opening,
      runId: "r3",
      workflowId: "w",
      firstRunId: "f",
      kind: "inbox",
    } as const;
    await test.store.openRun({ ...name, ...other, target: "sandbox other" });
    await test.store.endRun({ runId: "r3", outcome: "done", endedAt: at });
    expect(await test.store.pruneRuns({ before, quietOf })).toBe(1);
    expect(await left()).toEqual(["r3", "r2"]);
  });

  it("removes their sends too, but not those that fingerprints may rest on", async () => {
    const { store } = test;
    const sendOf = async (runId: string): Promise<unknown> =>
      await store.staging({ runId, chunk: 1, stage: 1 });
    await run("r1", "inbox", "done");
    await run("r2", "inbox", "done");
    await store.pruneRuns({ before, quietOf });
    expect(await sendOf("r1")).toBeUndefined();
    await store.fieldSlots({ ...name, names: ["name"] });
    await run("r3", "inbox", "done");
    await store.pruneRuns({ before, quietOf });
    expect(await left()).toEqual(["r3"]);
    expect(await sendOf("r2")).toMatchObject({ state: "committed" });
  });
});
