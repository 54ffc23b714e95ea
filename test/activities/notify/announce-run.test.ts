import { describe, expect, it } from "vitest";

import { drainRunsKeptMs, notifyLateMsMax } from "../../../activities/limits.ts";
import { closeAbandoned } from "../../../activities/run/close-abandoned.ts";
import { targetOf } from "../../../src/config/config.ts";
import { accountsCsv, accountsYaml, Harness } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";

/** A harness with two receivers: one is notified of failures, the other of every run. */
async function harness(): Promise<Harness> {
  const yaml = `${accountsYaml()}notify:
  - { url: "https://hooks.example/failed", on: failed, format: slack }
  - { url: "https://hooks.example/always", on: always, format: slack }
`;
  return await Harness.open({ yaml, files: { "accounts.csv": accountsCsv(3) } });
}

describe("announceRun", () => {
  it("has those told of a closed run who are to hear of it", async () => {
    const opened = await harness();
    const [failed, always] = opened.deps.config.notify.map(({ target }) => target);
    await (await TestRun.open(opened)).transfer();
    expect(opened.announced).toEqual([{ run_id: "run-1", targets: [always] }]);
    await (await TestRun.open(opened, { runId: "run-2" })).close({ outcome: "failed" });
    expect(opened.announced[1]).toEqual({ run_id: "run-2", targets: [failed, always] });
  });

  it("has them told of a run that was abandoned", async () => {
    const opened = await harness();
    await TestRun.open(opened);
    opened.terminated.add("first-run-1");
    await closeAbandoned(opened.deps);
    expect(opened.announced).toMatchObject([{ run_id: "run-1", targets: { length: 2 } }]);
  });

  it("has them told of a drain that failed once, until one did not fail so", async () => {
    const opened = await harness();
    const told: string[] = [];
    const refused = { code: "AuthFailed", message: "401" };
    const gone = { code: "ConfigError", message: "gone" };
    const failures = [refused, refused, gone, undefined, gone];
    for (const [index, failure] of failures.entries()) {
      const runId = `run-${index}`;
      const outcome = failure === undefined ? "done" : "failed";
      await (await TestRun.open(opened, { runId, kind: "inbox" })).close({ outcome, failure });
      told.push(...opened.announced.slice(told.length).map(({ run_id: id }) => id));
    }
    expect(told).toEqual(["run-0", "run-2", "run-4"]);
  });

  it("tells of the first drain that fails at another service, though one at the former failed so", async () => {
    const opened = await harness();
    const { config } = opened.deps;
    const api = { ...config.api, baseUrl: new URL("http://127.0.0.1:9") };
    const elsewhere = opened.activitiesWith({ config: { ...config, api }, target: targetOf(api) });
    const failed = { outcome: "failed", failure: { code: "AuthFailed", message: "401" } } as const;
    await (await TestRun.open(opened, { runId: "run-1", kind: "inbox" })).close(failed);
    const workflow = { workflowId: "w", firstRunId: "f", kind: "inbox", request: {} } as const;
    await opened.perform(elsewhere.openRun, { ...workflow, sync: "accounts", runId: "run-2" });
    await opened.perform(elsewhere.closeRun, { runId: "run-2", ...failed });
    await (await TestRun.open(opened, { runId: "run-3", kind: "inbox" })).close(failed);
    expect(opened.announced.map(({ run_id: id }) => id)).toEqual(["run-1", "run-2"]);
  });

  it.each([
    [-1, 1],
    [0, 2],
  ])(
    "tells of a drain that fails %i ms around a day after one that failed so: notified %i times",
    async (ms, times) => {
      const opened = await harness();
      for (const runId of ["run-1", "run-2"]) {
        const failure = { code: "AuthFailed", message: "401" };
        const run = await TestRun.open(opened, { runId, kind: "inbox" });
        await run.close({ outcome: "failed", failure });
        opened.clock.nowMs += drainRunsKeptMs + ms;
      }
      expect(opened.announced).toHaveLength(times);
    },
  );

  it("tells of a drain that fails as one did before successes, of which all but one are removed by now", async () => {
    const opened = await harness();
    const failed = { outcome: "failed", failure: { code: "AuthFailed", message: "401" } } as const;
    await (await TestRun.open(opened, { runId: "run-1", kind: "inbox" })).close(failed);
    await (await TestRun.open(opened, { runId: "run-2", kind: "inbox" })).close();
    await (await TestRun.open(opened, { runId: "run-3", kind: "inbox" })).close();
    opened.clock.nowMs += drainRunsKeptMs + 1;
    const run = await TestRun.open(opened, { runId: "run-4", kind: "inbox" });
    const before = new Date(opened.clock.nowMs - drainRunsKeptMs).toISOString();
    expect(await opened.deps.state.pruneRuns({ before, quietOf: "accounts" })).toBe(1);
    await run.close(failed);
    expect(opened.announced.map(({ run_id: id }) => id)).toEqual(["run-1", "run-4"]);
  });

  it("tells once of a resend that fails again and again beside many drains", async () => {
    const opened = await harness();
    const failure = { code: "AuthFailed", message: "401" };
    const resend = async (runId: string): Promise<void> => {
      const run = await TestRun.open(opened, { runId, kind: "resend" });
      await run.close({ outcome: "failed", failure });
    };
    await resend("resend-1");
    for (let drain = 0; drain < 25; drain++) {
      await (await TestRun.open(opened, { runId: `run-${drain}`, kind: "inbox" })).close();
    }
    await resend("resend-2");
    expect(opened.announced.map(({ run_id: id }) => id)).toEqual(["resend-1"]);
  });

  it.each([
    [-1, 2],
    [0, 2],
    [1, 1],
  ])(
    "announces a run that is closed again %i ms around a day later %i times",
    async (ms, times) => {
      const opened = await harness();
      const run = await TestRun.open(opened);
      await run.close();
      opened.clock.nowMs += notifyLateMsMax + ms;
      await run.close();
      expect(opened.announced).toHaveLength(times);
    },
  );

  it("closes the run all the same when Temporal does not take it, and says so", async () => {
    const opened = await harness();
    const run = await TestRun.open(opened);
    const { closeRun } = opened.activitiesWith({
      startNotifying: async () => await Promise.reject(new Error("deadline exceeded")),
    });
    const report = await opened.perform(closeRun, { runId: "run-1", outcome: "done" });
    expect(report).toMatchObject({ outcome: "done" });
    expect((await run.stored()).warnings).toContain(
      "nobody was notified of this run: Temporal did not take the notification",
    );
  });
});
