import { describe, expect, it } from "vitest";

import type { Hold } from "../../../src/state/contract/runs/holds.ts";
import { accountsCsv, accountsYaml, failureOf, Harness } from "../../support/project/harness.ts";
import { stageAll, TestRun } from "../../support/project/test-run.ts";

const rows = 10;
const members = ["hold_if: { changed_above: 30%, rows_below: 80% }"];
const keys = Array.from({ length: rows }, (_, row) => `a${row}`);
const name = { target: "", sync: "accounts" };

/** Rows of which this many have another name than the night before. */
function csvOf(changed: number, version: number): string {
  return accountsCsv(rows, (row) => (row < changed ? `name ${row} v${version}` : `name ${row}`));
}

/** A project whose first night has sent every row. */
async function afterFirstNight(more = ""): Promise<Harness> {
  const yaml = accountsYaml(...members) + more;
  const harness = await Harness.open({ yaml, files: { "accounts.csv": csvOf(0, 0) } });
  const first = await TestRun.open(harness, { runId: "first" });
  await stageAll(first);
  expect(await weigh(first)).toBeNull();
  await first.close({ outcome: "cancelled" });
  await (await TestRun.open(harness, { runId: "night-0" })).transfer();
  return harness;
}

/** A night that has staged everything, from a source in which this many rows changed. */
async function night(harness: Harness, changed: number, version = 1): Promise<TestRun> {
  await harness.write("accounts.csv", csvOf(changed, version));
  const run = await TestRun.open(harness, { runId: `night-${version}` });
  await stageAll(run);
  return run;
}

async function weigh({ harness, opened }: TestRun): Promise<Hold | null> {
  return await harness.perform(harness.activities.weighRun, opened);
}

async function approve({ harness, opened }: TestRun, number = 1): Promise<void> {
  await harness.perform(harness.activities.approveHold, { ...opened, number });
}

async function known({ deps, state }: Harness): Promise<unknown> {
  return await state.knownRecords({ ...name, target: deps.target, keys });
}

describe("a night that is weighed", () => {
  it("is held by what broke a guardrail, and tells whoever is to hear of it, once", async () => {
    const harness = await afterFirstNight(
      "notify: { url: https://example.com/hook, secret: abcdef, on: failed }\n",
    );
    const run = await night(harness, 4);
    const hold = await weigh(run);
    expect(hold).toMatchObject({
      number: 1,
      broken: [{ guardrail: "changed_above", figure: 4, of: rows, bound: { share: 0.3 } }],
      approvedAt: null,
    });
    expect(await weigh(run)).toEqual(hold);
    expect(await run.stored()).toMatchObject({ hold, outcome: null });
    const told = { run_id: "night-1", targets: ["example.com-19f13522"], hold: 1 };
    expect(harness.announced).toEqual([told, told]);
  });

  it("is not held at the bound, and by fewer rows than there were", async () => {
    const harness = await afterFirstNight();
    expect(await weigh(await night(harness, 3))).toBeNull();
    await harness.state.endRun({ runId: "night-1", outcome: "failed", endedAt: "2026-01-01" });
    await harness.write("accounts.csv", accountsCsv(7));
    harness.terminated.add("first-night-1");
    const run = await TestRun.open(harness, { runId: "night-2" });
    await stageAll(run);
    expect(await weigh(run)).toMatchObject({
      broken: [{ guardrail: "rows_below", figure: 7, of: rows }],
    });
  });

  it("is held by fewer rows than there were before any number of runs that failed, or of replays", async () => {
    const harness = await afterFirstNight();
    const { state, deps } = harness;
    const workflow = { workflowId: "wf", firstRunId: "first", temporalId: deps.temporalId };
    const lost = { ...name, target: deps.target, ...workflow, request: {} } as const;
    const ends = { sync: "failed", replay: "done" } as const;
    for (const kind of ["sync", "replay"] as const) {
      for (let count = 0; count < 110; count++) {
        const runId = `${kind}-${count}`;
        await state.openRun({ ...lost, kind, runId, configHash: "", startedAt: "2026-01-01" });
        await state.endRun({ runId, outcome: ends[kind], endedAt: "2026-01-01" });
      }
    }
    await harness.write("accounts.csv", accountsCsv(7));
    const run = await TestRun.open(harness, { runId: "night-1" });
    await stageAll(run);
    expect(await weigh(run)).toMatchObject({
      broken: [{ guardrail: "rows_below", figure: 7, of: rows }],
    });
    await run.close({ outcome: "discarded" });

    await harness.write("accounts.csv", accountsCsv(0));
    const empty = await (await TestRun.open(harness, { runId: "night-2" })).transfer();
    expect(empty.warnings).toEqual([expect.stringContaining(`where run night-0 read ${rows}`)]);
  });

  it("is held by fewer rows than there were also after old runs were pruned", async () => {
    const harness = await afterFirstNight();
    await harness.state.pruneRuns({ before: "2999-01-01" });
    await harness.write("accounts.csv", accountsCsv(7));
    const run = await TestRun.open(harness, { runId: "night-1" });
    await stageAll(run);
    expect(await weigh(run)).toMatchObject({
      broken: [{ guardrail: "rows_below", figure: 7, of: rows }],
    });
  });

  it("is held by what is not there any more, and its report counts that", async () => {
    const yaml = accountsYaml("hold_if: { vanished_above: 20% }");
    const harness = await Harness.open({ yaml, files: { "accounts.csv": csvOf(0, 0) } });
    const nights = async (runId: string, count: number): Promise<TestRun> => {
      await harness.write("accounts.csv", accountsCsv(count));
      return await TestRun.open(harness, { runId });
    };
    const first = await (await nights("night-0", rows)).transfer();
    expect(first.changes).not.toHaveProperty("vanished");
    const run = await nights("night-1", 7);
    await stageAll(run);
    expect(await weigh(run)).toMatchObject({
      broken: [{ guardrail: "vanished_above", figure: 3, of: rows, bound: { share: 0.2 } }],
    });
    expect(await run.stored()).toMatchObject({ vanished: 3 });
    await run.close({ outcome: "discarded" });
    // The next night is not compared with a discarded one.
    const limited = await TestRun.open(harness, { runId: "night-2", request: { limit: 2 } });
    await stageAll(limited);
    expect(await weigh(limited)).toBeNull();
    await limited.close({ outcome: "done" });
    const last = await (await nights("night-3", 8)).transfer();
    expect(last).toMatchObject({ outcome: "done", changes: { changed: 0, vanished: 2 } });
  });

  it("leaves what is known and the checkpoint as they were when it is discarded, and is held again", async () => {
    const harness = await afterFirstNight();
    const before = [
      await known(harness),
      await harness.state.checkpoint({ ...name, target: harness.deps.target }),
    ];
    const first = await night(harness, 4);
    await weigh(first);
    expect(await first.close({ outcome: "discarded" })).toMatchObject({
      outcome: "discarded",
      counts: { sent: 0 },
      balanced: true,
    });
    const after = [
      await known(harness),
      await harness.state.checkpoint({ ...name, target: harness.deps.target }),
    ];
    expect(after).toEqual(before);
    const second = await night(harness, 4, 2);
    expect(await weigh(second)).toMatchObject({ number: 1, broken: [{ figure: 4, of: rows }] });
  });

  it("is sent as it was staged once it is approved", async () => {
    const harness = await afterFirstNight();
    const run = await night(harness, 4);
    const hold = await weigh(run);
    await approve(run);
    expect(await run.stored()).toMatchObject({ hold: { number: 1, digest: hold?.digest } });
    expect(await weigh(run)).toBeNull();
    const stagedAgain = await harness.perform(harness.activities.stagedChunk, {
      ...run.opened,
      chunk: 1,
    });
    expect(stagedAgain).toMatchObject({ records: 4, counts: { read: rows } });
  });

  it("is held again, with whatever figures, when it is staged otherwise than it was approved", async () => {
    const harness = await afterFirstNight();
    const run = await night(harness, 4);
    await weigh(run);
    await approve(run);
    await stageAll(run);
    expect(await weigh(run)).toBeNull();
    await harness.write("accounts.csv", csvOf(4, 9));
    await stageAll(run);
    expect(await weigh(run)).toMatchObject({ number: 2, approvedAt: null });
    await harness.write("accounts.csv", csvOf(1, 9));
    await stageAll(run);
    expect(await weigh(run)).toMatchObject({ number: 3, broken: [] });
  });

  it("is not sent after its checkpoint was moved, or its sync configured otherwise", async () => {
    const harness = await afterFirstNight();
    const run = await night(harness, 4);
    await weigh(run);
    const edited = await harness.withYaml(accountsYaml(...members, "min_rows: 1"));
    const { approveHold } = edited.activities;
    const changed = await failureOf(harness.perform(approveHold, { ...run.opened, number: 1 }));
    expect(changed.type).toBe("ConfigChanged");
    const { target } = harness.deps;
    const { version } = await harness.state.checkpoint({ ...name, target });
    await harness.state.setCheckpoint({
      ...name,
      target,
      version,
      position: null,
      reason: "a person",
      at: "2026-01-01T00:00:00.000Z",
    });
    expect((await failureOf(approve(run))).type).toBe("CheckpointMoved");
    expect(await run.stored()).toMatchObject({ hold: { approvedAt: null } });
  });

  it("fails with nothing sent when it takes more disk than it may", async () => {
    const bound = "advanced: { staging_max: 10 }\n";
    const yaml = accountsYaml(...members) + bound;
    const harness = await Harness.open({ yaml, files: { "accounts.csv": csvOf(0, 0) } });
    const run = await TestRun.open(harness, { runId: "night-1" });
    const failure = await failureOf(stageAll(run));
    expect([failure.type, failure.nonRetryable]).toEqual(["StagingFull", true]);
    expect(failure.message).toContain("more than the 10 B of `advanced.staging_max`");
    const unbounded = await harness.withYaml(accountsYaml() + bound);
    await run.close({ outcome: "failed" });
    const other = await TestRun.open(unbounded, { runId: "night-2" });
    await expect(stageAll(other)).resolves.toHaveLength(1);
  });
});
