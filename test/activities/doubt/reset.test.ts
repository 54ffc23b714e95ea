import { describe, expect, it } from "vitest";

import type { OpenedRun } from "../../../activities/inputs.ts";
import type { BackfillPlan } from "../../../src/backfill/plan.ts";
import { sendLock } from "../../../src/state/contract/runs/locks.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import { accountsCsv, accountsYaml, failureOf, Harness } from "../../support/project/harness.ts";
import { openedRun, rows, TestRun } from "../../support/project/test-run.ts";

/** Does what Temporal does after a reset to the first task: begins again, under the same ids. */
async function reset(harness: Harness, runId = "run-1"): Promise<TestRun> {
  return await TestRun.open(harness, { runId });
}

describe("a reset of a run that has ended", () => {
  it.each(["failed", "done"] as const)("sends nothing and says what to do: %s", async (outcome) => {
    const run = await openedRun();
    const { harness } = run;
    if (outcome === "done") await run.transfer();
    else await run.close({ outcome, failure: { code: "SourceUnavailable", message: "away" } });
    await harness.write(
      "accounts.csv",
      accountsCsv(rows, (row) => `newer ${row}`),
    );
    const before = await harness.sandbox.ledger();

    const failure = await failureOf(reset(harness));

    expect(failure).toMatchObject({ type: "RunEnded", nonRetryable: true });
    expect(failure.message).toBe(`run run-1 has ended as ${outcome}`);
    expect(failure.details?.[0]).toMatchObject({
      hint: "a reset does not run it again: `sluice run accounts` begins a new run",
    });
    expect(await harness.sandbox.ledger()).toEqual(before);
    expect(await run.stored()).toMatchObject({ outcome });
    expect(await (await reset(harness, "run-2")).transfer()).toMatchObject({
      outcome: "done",
      counts: { sent: rows },
    });
  });
});

describe("a reset of a run that continues", () => {
  const yaml = accountsYaml("chunk: { records: 1000 }");
  const files = { "accounts.csv": accountsCsv(2_500) };

  it("continues after what is committed, and sends nothing twice", async () => {
    const harness = await Harness.open({ yaml, files });
    const run = await TestRun.open(harness);
    const first = await run.stage(1);
    await run.send(first);
    await run.commit(first);

    const again = await reset(harness);

    expect(await again.stage(1)).toEqual(first);
    expect(await again.transfer()).toMatchObject({
      outcome: "done",
      counts: { read: 2_500, sent: 2_500 },
      possibly_repeated: 0,
      chunks: 3,
    });
    expect(await harness.sandbox.recordsTaken()).toBe(2_500);
  });

  it("stages again what was not committed", async () => {
    const harness = await Harness.open({ yaml, files });
    const run = await TestRun.open(harness);
    const first = await run.stage(1);
    await run.send(first);
    const again = await reset(harness);
    expect(await again.transfer()).toMatchObject({
      outcome: "done",
      counts: { sent: 2_500 },
      possibly_repeated: 1_000,
    });
    expect(await failureOf(run.commit(first))).toMatchObject({ type: "Superseded" });
  });

  it("stops before anything leaves when the checkpoint was moved meanwhile", async () => {
    const harness = await Harness.open({ yaml, files });
    const run = await TestRun.open(harness);
    const first = await run.stage(1);
    await run.send(first);
    await run.commit(first);
    const name = { target: harness.deps.target, sync: "accounts" };
    const moved = { ...name, version: 1, position: null, reason: "by hand", at: "2026-01-01" };
    await harness.state.setCheckpoint(moved);
    expect(await failureOf(reset(harness))).toMatchObject({ type: "CheckpointMoved" });
  });
});

describe("a workflow that was reset and makes another run", () => {
  it("takes the lock over from the run that it made before, which ends", async () => {
    const run = await openedRun();
    const { harness } = run;
    await run.stage();
    const { workflowId, firstRunId } = await run.stored();
    const input = { sync: "accounts", kind: "sync", request: {}, workflowId, firstRunId } as const;
    const opened = await harness.perform(harness.activities.openRun, { ...input, runId: "run-2" });
    expect(opened.fence).toBe(2);
    expect(await run.stored()).toMatchObject({ outcome: "abandoned" });
    expect(
      await harness.perform(harness.activities.stageChunk, { ...opened, chunk: 1 }),
    ).toMatchObject({ records: rows });
    expect(await failureOf(run.stage())).toMatchObject({ type: "Superseded" });
  });
});

/** The activities of an attempt that stands still before it lets the lock go, while its successor goes on. */
function standingStill(
  harness: Harness,
  successor: () => Promise<OpenedRun>,
): Harness["activities"] {
  const { activities, state } = harness;
  const releaseLock: StateStore["releaseLock"] = async (asked) => {
    await harness.perform(activities.stageChunk, { ...(await successor()), chunk: 1 });
    await state.releaseLock(asked);
  };
  return harness.activitiesWith({ state: { ...state, releaseLock } });
}

describe("a reset of a backfill that sends", () => {
  const ref = { runId: "backfill-1", workflowId: "backfill-accounts", firstRunId: "first" };
  const input = { ...ref, raw: { sync: "accounts", send: "all" } };

  async function plan(harness: Harness): Promise<BackfillPlan> {
    const planned = await harness.perform(harness.activities.planBackfill, input);
    if ("problem" in planned) throw new Error(planned.problem);
    return planned.plan;
  }

  async function openLanes(harness: Harness, approved: BackfillPlan): Promise<OpenedRun> {
    const ask = { ...input, approved };
    const opened = await harness.perform(harness.activities.openBackfill, ask);
    if ("moved" in opened) throw new Error(opened.moved);
    return opened;
  }

  async function begun(): Promise<{ harness: Harness; approved: BackfillPlan }> {
    const files = { "accounts.csv": accountsCsv(rows) };
    const harness = await Harness.open({ yaml: accountsYaml("approve: { auto_up_to: 0 }"), files });
    return { harness, approved: await plan(harness) };
  }

  it("lets the send lock go before a person is asked again", async () => {
    const { harness, approved } = await begun();
    const { stageChunk } = harness.activities;
    const first = await openLanes(harness, approved);
    await harness.perform(stageChunk, { ...first, chunk: 1 });

    const again = await plan(harness);

    const night = await (await TestRun.open(harness, { runId: "night" })).transfer();
    expect(night).toMatchObject({ outcome: "done", counts: { sent: rows } });
    expect(await failureOf(harness.perform(stageChunk, { ...first, chunk: 2 }))).toMatchObject({
      type: "Superseded",
    });
    const second = await openLanes(harness, again);
    expect(await harness.perform(stageChunk, { ...second, chunk: 1 })).toMatchObject({
      records: rows,
    });
  });

  it("keeps it when an attempt to plan was stalled, and ends while the backfill sends", async () => {
    const { harness, approved } = await begun();
    const { state } = harness;
    const openRun: StateStore["openRun"] = async (asked) => {
      await openLanes(harness, approved);
      return await state.openRun(asked);
    };
    const stalled = harness.activitiesWith({ state: { ...state, openRun } });
    await harness.perform(stalled.planBackfill, input);
    const name = sendLock(harness.deps.target, "accounts");
    expect(await state.lockHolder(name)).toMatchObject({ runId: ref.runId });
  });

  /** How many stagings of it may still be committed; undefined where it does not hold the lock. */
  async function stagedUnder({ deps, state }: Harness): Promise<number | undefined> {
    const holder = await state.lockHolder(sendLock(deps.target, "accounts"));
    const staged = await state.openStagings({ runId: ref.runId });
    return holder?.runId === ref.runId ? staged.length : undefined;
  }

  it("keeps what it staged when an attempt to plan stood still meanwhile", async () => {
    const { harness, approved } = await begun();
    const { planBackfill } = standingStill(harness, async () => await openLanes(harness, approved));
    await harness.perform(planBackfill, input);
    expect(await stagedUnder(harness)).toBe(1);
  });

  it("keeps what it staged when an attempt to yield stood still meanwhile", async () => {
    const { harness, approved } = await begun();
    const opened = await openLanes(harness, approved);
    const { yieldBackfill } = standingStill(harness, async () => {
      await harness.perform(harness.activities.yieldBackfill, opened);
      return await openLanes(harness, approved);
    });
    await harness.perform(yieldBackfill, opened);
    expect(await stagedUnder(harness)).toBe(1);
  });

  it("keeps what it staged when an attempt to begin found later that its plan had moved", async () => {
    const { harness, approved } = await begun();
    const { openBackfill } = standingStill(harness, async () => await openLanes(harness, approved));
    const late = { ...input, approved: { ...approved, rows: 1_000 } };
    expect(await harness.perform(openBackfill, late)).toHaveProperty("moved");
    expect(await stagedUnder(harness)).toBe(1);
  });

  it("lets the lock go when its plan has moved before anything was staged", async () => {
    const { harness, approved } = await begun();
    const moved = { ...input, approved: { ...approved, rows: 1_000 } };
    await harness.perform(harness.activities.openBackfill, moved);
    expect(await stagedUnder(harness)).toBeUndefined();
  });
});
