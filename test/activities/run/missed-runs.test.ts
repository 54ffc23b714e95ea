import { describe, expect, it } from "vitest";

import type { Dependencies } from "../../../activities/dependencies.ts";
import { accountsCsv, accountsYaml, Harness } from "../../support/project/harness.ts";

const dayMs = 86_400_000;
const schedule = 'schedule: { at: "02:30", time_zone: UTC }';

/** A project whose sync may have a schedule; its clock is at 02:30 plus ten seconds. */
async function scheduled(...sync: readonly string[]): Promise<Harness> {
  const files = { "accounts.csv": accountsCsv(3) };
  const harness = await Harness.open({ yaml: accountsYaml(...sync), files });
  const night = Math.ceil(harness.clock.nowMs / dayMs) * dayMs + 2.5 * 3_600_000;
  harness.clock.nowMs = night + 10_000;
  return harness;
}

/** Opens a run, closes it, and returns its warnings of missed runs. */
async function warnings(
  harness: Harness,
  runId: string,
  how: { readonly nominalAt?: string } = {},
): Promise<readonly string[]> {
  const { nominalAt } = how;
  const workflow = { workflowId: `wf-${runId}`, firstRunId: `first-${runId}` };
  const input = { sync: "accounts", kind: "sync", runId, nominalAt, ...workflow } as const;
  const { openRun, closeRun } = harness.activities;
  await harness.perform(openRun, { ...input, request: {} });
  const report = await harness.perform(closeRun, { runId, outcome: "done" });
  return (report?.warnings ?? []).filter((text) => text.includes("did not happen"));
}

/** Temporal's state of a schedule that a person paused. */
const pausedState: Dependencies["scheduleState"] = async (name) => ({
  kind: "paused",
  note: `of ${name}: migration`,
  since: new Date(0),
});

const nominalOf = ({ clock }: Harness): string => new Date(clock.nowMs - 10_000).toISOString();

describe("warnOfMissedRuns", () => {
  it("names the nights since the last run, once", async () => {
    const harness = await scheduled(schedule);
    expect(await warnings(harness, "run-1", { nominalAt: nominalOf(harness) })).toEqual([]);
    harness.clock.nowMs += 3 * dayMs;
    const nights = [1, 2].map((ago) => new Date(harness.clock.nowMs - ago * dayMs).toISOString());
    const [latest = "", earlier = ""] = nights.map((night) => night.slice(0, 10));
    expect(await warnings(harness, "run-3", { nominalAt: nominalOf(harness) })).toEqual([
      `2 scheduled runs did not happen: ${earlier} 02:30, ${latest} 02:30 (UTC)`,
    ]);
    harness.clock.nowMs += 3_600_000;
    expect(await warnings(harness, "run-4")).toEqual([]);
  });

  it("says it again when it is opened again, and only once", async () => {
    const harness = await scheduled(schedule);
    await warnings(harness, "run-1", { nominalAt: nominalOf(harness) });
    harness.clock.nowMs += 2 * dayMs;
    const nominalAt = nominalOf(harness);
    const workflow = { workflowId: "wf", firstRunId: "first" };
    const input = {
      sync: "accounts",
      kind: "sync",
      runId: "run-2",
      nominalAt,
      request: {},
    } as const;
    const { openRun } = harness.activities;
    await harness.perform(openRun, { ...input, ...workflow });
    harness.clock.nowMs += dayMs;
    await harness.perform(openRun, { ...input, ...workflow });
    const run = await harness.state.run("run-2");
    expect(run).toMatchObject({ nominalAt });
    expect(run?.warnings).toHaveLength(1);
  });

  it("takes a replay of rejects for no run of the schedule", async () => {
    const harness = await scheduled(schedule);
    await warnings(harness, "run-1", { nominalAt: nominalOf(harness) });
    harness.clock.nowMs += 1.5 * dayMs;
    const first = await harness.state.run("run-1");
    if (first === undefined) throw new Error("run-1 is not in the store");
    const { sync, target, temporalId, configHash, request } = first;
    const workflow = { workflowId: "wf", firstRunId: "first", temporalId };
    const startedAt = new Date(harness.clock.nowMs).toISOString();
    const kind = "replay";
    const replay = { runId: "run-2", kind, sync, target, configHash, request, startedAt } as const;
    await harness.state.openRun({ ...replay, ...workflow });
    expect(await warnings(harness, "run-3")).toHaveLength(1);
  });

  it("finds the last run of the schedule behind any number of replays", async () => {
    const harness = await scheduled(schedule);
    await warnings(harness, "run-1", { nominalAt: nominalOf(harness) });
    const { target, temporalId } = harness.deps;
    const workflow = { workflowId: "wf", firstRunId: "first", temporalId };
    const of = { sync: "accounts", target, kind: "replay", request: {}, configHash: "" } as const;
    for (let count = 0; count < 101; count++) {
      const startedAt = new Date(harness.clock.nowMs).toISOString();
      await harness.state.openRun({ runId: `replay-${count}`, ...of, ...workflow, startedAt });
    }
    harness.clock.nowMs += 1.5 * dayMs;
    expect(await warnings(harness, "run-2")).toHaveLength(1);
  });

  it("asks Temporal why", async () => {
    const harness = await scheduled(schedule);
    await warnings(harness, "run-1", { nominalAt: nominalOf(harness) });
    harness.clock.nowMs += 1.5 * dayMs;
    const { openRun } = harness.activitiesWith({ scheduleState: pausedState });
    const workflow = { workflowId: "wf", firstRunId: "first" };
    const input = { sync: "accounts", kind: "sync", runId: "run-2", request: {} } as const;
    await harness.perform(openRun, { ...input, ...workflow });
    expect((await harness.state.run("run-2"))?.warnings).toEqual([
      expect.stringMatching(/^1 scheduled run did not .* is paused: of accounts: migration$/),
    ]);
  });

  it("names no night from before the schedule was what it is", async () => {
    const harness = await scheduled(schedule);
    await warnings(harness, "run-1");
    harness.clock.nowMs += 5 * dayMs;
    const since = new Date(harness.clock.nowMs - 1.5 * dayMs);
    const { openRun } = harness.activitiesWith({
      scheduleState: async () => ({ kind: "on", note: "", since }),
    });
    const workflow = { workflowId: "wf", firstRunId: "first", nominalAt: nominalOf(harness) };
    const input = { sync: "accounts", kind: "sync", runId: "run-2", request: {} } as const;
    await harness.perform(openRun, { ...input, ...workflow });
    expect((await harness.state.run("run-2"))?.warnings).toEqual([
      expect.stringMatching(/^1 scheduled run did not happen/),
    ]);
  });

  it("knows nothing before the first run, nor of a sync without a schedule", async () => {
    expect(await warnings(await scheduled(schedule), "run-1")).toEqual([]);
    const harness = await scheduled();
    await warnings(harness, "run-1");
    harness.clock.nowMs += 3 * dayMs;
    expect(await warnings(harness, "run-2")).toEqual([]);
  });
});
