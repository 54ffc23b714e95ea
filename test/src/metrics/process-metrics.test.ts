import { describe, expect, it, onTestFinished } from "vitest";

import { createProcessMetrics, type ProcessMetrics } from "../../../src/metrics/process-metrics.ts";
import { lookAtProject } from "../../../src/metrics/project-figures.ts";
import { createServiceClient } from "../../../src/service/client.ts";
import { refuseCanaries } from "../../support/canaries.ts";
import { samplesOf, type Samples } from "../../support/metrics/samples.ts";
import { accountsYaml, Harness } from "../../support/project/harness.ts";
import { csvWithBroken, TestRun } from "../../support/project/test-run.ts";

/** A project whose activities are counted as a worker has them counted. */
async function counted(
  csv: string,
): Promise<{ readonly harness: Harness; readonly metrics: ProcessMetrics }> {
  const plain = await Harness.open({ yaml: accountsYaml(), files: { "accounts.csv": csv } });
  const metrics = createProcessMetrics();
  const { config, stagingFolder } = plain.deps;
  const state = metrics.timed(plain.state);
  const address = new URL(plain.sandbox.address);
  const addresses = { baseUrl: address, legacyBaseUrl: address };
  const how = { addresses, state, proxy: undefined, effect: metrics.request };
  const api = createServiceClient(config, how);
  onTestFinished(async () => await api.close());
  const harness = plain.with({ state, api, runClosed: metrics.runClosed });
  metrics.watch(lookAtProject({ config, state, inbox: undefined, stagingFolder }));
  return { harness, metrics };
}

async function samples(metrics: ProcessMetrics): Promise<Samples> {
  const { type, text } = await metrics.answer();
  expect(type).toBe("text/plain; version=0.0.4; charset=utf-8");
  refuseCanaries({ what: "/metrics", text });
  return samplesOf(text);
}

describe("the metrics of a worker", () => {
  it("count what the report of a run counts", async () => {
    const { harness, metrics } = await counted(csvWithBroken(20, [3, 9]));
    const before = await samples(metrics);
    expect(before).toMatchObject({
      'sluice_rows_total{sync="accounts",result="rejected"}': 0,
      'sluice_runs_total{sync="accounts",kind="sync",outcome="failed"}': 0,
      'sluice_runs_open{sync="accounts"}': 0,
      'sluice_scheduled{sync="accounts"}': 0,
      'sluice_requests_total{endpoint="uploadJson",status="200"}': 0,
      sluice_store_up: 1,
    });
    expect(before).not.toHaveProperty(['sluice_last_success_timestamp_seconds{sync="accounts"}']);
    const run = await TestRun.open(harness);
    expect(await samples(metrics)).toMatchObject({ 'sluice_runs_open{sync="accounts"}': 1 });
    const { counts, duration_ms: ms, requests, ended_at: ended } = await run.transfer("body");
    const after = await samples(metrics);
    expect(after).toMatchObject({
      'sluice_rows_total{sync="accounts",result="sent"}': counts.sent,
      'sluice_rows_total{sync="accounts",result="unchanged"}': counts.unchanged,
      'sluice_rows_total{sync="accounts",result="filtered"}': counts.filtered,
      'sluice_rows_total{sync="accounts",result="rejected"}': counts.rejected,
      'sluice_runs_total{sync="accounts",kind="sync",outcome="done_with_rejects"}': 1,
      'sluice_run_duration_seconds_count{sync="accounts"}': 1,
      'sluice_run_duration_seconds_sum{sync="accounts"}': ms / 1_000,
      'sluice_run_rows_sum{sync="accounts"}': counts.read,
      'sluice_requests_total{endpoint="uploadJson",status="200"}': requests,
      'sluice_permits_total{result="at_once"}': requests,
      'sluice_last_success_timestamp_seconds{sync="accounts"}': Date.parse(ended ?? "") / 1_000,
      'sluice_runs_open{sync="accounts"}': 0,
    });
    expect([counts.read, counts.sent, counts.rejected]).toEqual([20, 18, 2]);
    expect(after["sluice_store_call_duration_seconds_count"]).toBeGreaterThan(10);
  });
});
