import { describe, expect, it } from "vitest";

import { closeAbandoned } from "../../../activities/run/close-abandoned.ts";
import { isRunOpen } from "../../../activities/run/run-open.ts";
import { processName } from "../../../src/local/process-identity.ts";
import { Secret } from "../../../src/security/secret.ts";
import {
  accountsCsv,
  accountsYaml,
  dyingAt,
  failureOf,
  Harness,
} from "../../support/project/harness.ts";
import { stagedFiles, stagedRun, TestRun, rows } from "../../support/project/test-run.ts";

describe("closeAbandoned", () => {
  it("ends a run whose workflow is gone, removes its files and gives its lock back", async () => {
    const { run, chunk } = await stagedRun();
    const { harness } = run;
    await run.attemptPart(run.part(chunk), "file");
    harness.terminated.add("first-run-1");

    await closeAbandoned(harness.deps);

    const stored = await run.stored();
    expect(stored).toMatchObject({ outcome: "abandoned", possiblyRepeated: rows });
    expect(stored.failure?.message).toContain("wf-run-1");
    expect(await stagedFiles(run)).toEqual([]);
    // The next run need not ask Temporal about any holder.
    const next = await TestRun.open(harness, { runId: "run-2" });
    expect(await next.transfer()).toMatchObject({ outcome: "done", counts: { sent: rows } });
  });

  it("leaves a run alone whose workflow is open, and what it staged", async () => {
    const { run, chunk } = await stagedRun();
    await closeAbandoned(run.harness.deps);
    expect(await run.stored()).toMatchObject({ outcome: null });
    await run.send(chunk);
    await run.commit(chunk);
    expect(await run.close()).toMatchObject({ outcome: "done" });
  });

  it("removes what a run left that ended while nobody could check", async () => {
    const { run } = await stagedRun();
    await run.close({ outcome: "failed" });
    expect(await stagedFiles(run)).not.toEqual([]);
    await closeAbandoned(run.harness.deps);
    expect(await stagedFiles(run)).toEqual([]);
  });

  it("leaves a run of another Temporal server to whoever needs its lock, once no worker beats there", async () => {
    const { run } = await stagedRun();
    const { deps, clock, state } = run.harness;
    const changes = {
      temporalId: "another server",
      isWorkflowOpen: async ({ workflowId }: { workflowId: string }) => workflowId === "wf-2",
    };
    const here = { ...deps, ...changes };
    const { openRun } = run.harness.activitiesWith(changes);
    const workflow = { workflowId: "wf-2", firstRunId: "first-2" };
    const next = {
      sync: "accounts",
      kind: "sync",
      runId: "run-2",
      ...workflow,
      request: {},
    } as const;
    const { temporalId } = deps;
    const worker = { hostId: "1", process: "7", temporalId, version: "1" };
    await state.beat({ ...worker, lastBeat: clock.nowMs });

    clock.nowMs += deps.config.advanced.hostLostAfterMs;
    await closeAbandoned(here);
    expect(await failureOf(run.harness.perform(openRun, next))).toMatchObject({ type: "Busy" });
    expect(await run.stored()).toMatchObject({ outcome: null });

    clock.nowMs += 1;
    await closeAbandoned(here);
    expect(await run.stored()).toMatchObject({ outcome: null });
    await run.harness.perform(openRun, next);
    expect(await run.stored()).toMatchObject({ outcome: "abandoned" });
  });

  it("leaves no run to a worker at another Temporal server that beat a moment ago and was killed", async () => {
    const { run } = await stagedRun();
    const { deps, clock, state } = run.harness;
    const here = { ...deps, temporalId: "another server" };
    const holder = { runId: "run-1", workflowId: "wf-run-1", firstRunId: "first-run-1" };
    const name = processName("1");
    const { temporalId } = deps;
    const worker = { hostId: "1", process: "7", temporalId, version: "1", lastBeat: clock.nowMs };
    await state.beat({ ...worker, name });
    expect(await isRunOpen(here, holder)).toBe(true);
    await state.beat({ ...worker, name: name.replace(/ \S+$/, " 1") });
    expect(await isRunOpen(here, holder)).toBe(false);
  });

  it("ends a run of another Temporal server whose sync is not configured any more, once no worker beats", async () => {
    const { run } = await stagedRun();
    const { deps, clock, state } = run.harness;
    const { temporalId } = deps;
    const config = { ...deps.config, syncs: new Map() };
    const here = { ...deps, config, temporalId: "another server" };
    const worker = { hostId: "1", process: "7", temporalId, version: "1" };
    await state.beat({ ...worker, lastBeat: clock.nowMs });
    await closeAbandoned(here);
    expect(await run.stored()).toMatchObject({ outcome: null });

    clock.nowMs += deps.config.advanced.hostLostAfterMs + 1;
    await closeAbandoned(here);
    expect(await run.stored()).toMatchObject({ outcome: "abandoned" });
  });

  it.each([
    ["whose service or account is another one by now", "https://other.example main", false],
    ["that its store is not used with any more", undefined, true],
  ])("ends a run of another Temporal server %s", async (_, otherTarget, isInPostgres) => {
    const { run } = await stagedRun();
    const { deps } = run.harness;
    const url = new Secret("postgres://sluice@db.example/sluice");
    const store = isInPostgres ? { url, schema: "sluice", project: "p" } : undefined;
    const config = { ...deps.config, store };
    const target = otherTarget ?? deps.target;
    await closeAbandoned({ ...deps, config, target, temporalId: "another server" });
    expect(await run.stored()).toMatchObject({ outcome: "abandoned" });
  });
});

describe("the next run of a sync", () => {
  const asked = { sync: "accounts", kind: "sync", request: {} } as const;
  const second = { ...asked, runId: "run-2", workflowId: "wf-run-2", firstRunId: "first-run-2" };

  it("ends what terminated runs left that did not hold the lock, and no other", async () => {
    const files = { "accounts.csv": accountsCsv(rows) };
    const harness = await Harness.open({ yaml: accountsYaml(), files });
    const { state, activities, terminated } = harness;
    const first = await TestRun.open(harness);
    for (const name of ["2", "3"]) {
      const by = { runId: `run-${name}`, firstRunId: `first-run-${name}` };
      await failureOf(harness.perform(activities.openRun, { ...second, ...by }));
    }
    terminated.add("first-run-2");
    await first.transfer();
    const plan = { runId: "backfill-1", workflowId: "backfill-accounts", firstRunId: "planned" };
    await harness.perform(activities.planBackfill, { ...plan, raw: { sync: "accounts" } });
    terminated.add("planned");

    await TestRun.open(harness, { runId: "run-4" });
    expect(await state.run("run-2")).toMatchObject({ outcome: "abandoned" });
    expect(await state.run("backfill-1")).toMatchObject({ outcome: "abandoned" });
    expect(await state.run("run-3")).toMatchObject({ outcome: null });
  });

  it("ends what waits at another Temporal server and has no lock, once no worker beats there", async () => {
    const files = { "accounts.csv": accountsCsv(rows) };
    const harness = await Harness.open({ yaml: accountsYaml(), files });
    const { deps, clock, state } = harness;
    const plan = { runId: "backfill-1", workflowId: "backfill-accounts", firstRunId: "planned" };
    await harness.perform(harness.activities.planBackfill, { ...plan, raw: { sync: "accounts" } });
    const worker = { hostId: "1", process: "7", temporalId: deps.temporalId, version: "1" };
    await state.beat({ ...worker, lastBeat: clock.nowMs });
    const elsewhere = harness.with({ temporalId: "another server" });
    await (await TestRun.open(elsewhere)).transfer();
    expect(await state.run("backfill-1")).toMatchObject({ outcome: null });

    clock.nowMs += deps.config.advanced.hostLostAfterMs + 1;
    await TestRun.open(elsewhere, { runId: "run-2" });
    expect(await state.run("backfill-1")).toMatchObject({ outcome: "abandoned" });
  });

  it("ends the terminated holder of its lock also where an attempt dies meanwhile", async () => {
    const { run } = await stagedRun();
    const { harness } = run;
    harness.terminated.add("first-run-1");
    const dying = harness.activitiesWith(dyingAt(harness, "endRun"));
    expect(await failureOf(harness.perform(dying.openRun, second))).toMatchObject({
      type: "Unavailable",
    });
    await harness.perform(dying.openRun, second);
    expect(await run.stored()).toMatchObject({ outcome: "abandoned" });
  });
});
