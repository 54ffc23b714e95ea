import { describe, expect, it, onTestFinished } from "vitest";

import { systemClock } from "../../../src/clock.ts";
import { openInbox } from "../../../src/inbox/open.ts";
import { createProcessMetrics, type ProcessMetrics } from "../../../src/metrics/process-metrics.ts";
import { createProjectLook } from "../../../src/metrics/project-figures.ts";
import { createServiceClient } from "../../../src/service/client.ts";
import { keyName } from "../../../src/service/key-limits.ts";
import type { LimitEvent } from "../../../src/state/contract/rate-limit.ts";
import { refuseCanaries } from "../../support/canaries.ts";
import { samplesOf, type Samples } from "../../support/metrics/samples.ts";
import { accountsYaml, Harness } from "../../support/project/harness.ts";
import { heldNight, heldYaml } from "../../support/project/held-night.ts";
import { csvWithBroken, TestRun } from "../../support/project/test-run.ts";

/** A project whose activities are counted as a worker's are. */
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
  metrics.watch(createProjectLook({ config, state, inbox: undefined, stagingFolder }));
  return { harness, metrics };
}

async function samples(metrics: ProcessMetrics): Promise<Samples> {
  const { type, text } = await metrics.answer();
  expect(type).toBe("text/plain; version=0.0.4; charset=utf-8");
  refuseCanaries({ what: "/metrics", text });
  return samplesOf(text);
}

/** A store that cannot be read. */
async function look(): Promise<never> {
  return await Promise.reject(new Error("away"));
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

  it("count a run once, however often it is closed", async () => {
    const { harness, metrics } = await counted(csvWithBroken(3, []));
    const run = await TestRun.open(harness);
    await run.transfer();
    await run.close();
    expect(await samples(metrics)).toMatchObject({
      'sluice_runs_total{sync="accounts",kind="sync",outcome="done"}': 1,
      'sluice_rows_total{sync="accounts",result="sent"}': 3,
      'sluice_run_rows_count{sync="accounts"}': 1,
    });
  });

  it("tell what the store says of the key as it is, of storage and of runs that are held", async () => {
    const { harness, metrics } = await counted(csvWithBroken(3, []));
    const { state, deps } = harness;
    await TestRun.open(harness);
    const key = `api:${keyName(deps.config.api.apiKey)}`;
    const now = systemClock()();
    const note = async (limit: string, event: LimitEvent, times = 1): Promise<void> => {
      for (let n = 0; n < times; n++) await state.noteLimit({ limit, event, ...now });
    };
    const failed = { kind: "failed", isProbe: false, why: "canary" } as const;
    const blocked = { kind: "blocked", forMs: 3_600_000_000, why: "canary" } as const;
    await note("api:0ther:search", blocked);
    await note("api:0ther", failed, 20);
    expect(await samples(metrics)).toMatchObject({
      'sluice_breaker_state{scope="service"}': 0,
      'sluice_breaker_state{scope="storage"}': 0,
      'sluice_credits_used_up{family="search"}': 0,
      sluice_key_refused: 0,
      'sluice_runs_held{sync="accounts"}': 0,
    });
    await note("put:canary.example", failed, 20);
    await note(`${key}:search`, blocked);
    await note(`${key}:refused`, blocked);
    const hold = { number: 1, digest: "d", since: "2026-01-01T00:00:00Z", broken: [] };
    await state.setHold({ runId: "run-1", hold: { ...hold, approvedAt: null } });
    const after = await samples(metrics);
    expect(after).toMatchObject({
      'sluice_breaker_state{scope="service"}': 0,
      'sluice_credits_used_up{family="ingestion"}': 0,
      'sluice_credits_used_up{family="search"}': 1,
      sluice_key_refused: 1,
      'sluice_runs_held{sync="accounts"}': 1,
    });
    expect(after['sluice_breaker_state{scope="storage"}']).toBeGreaterThan(0);
    expect(Object.keys(after).join()).not.toContain("canary");
  });

  it("tell of a run that is held though its sync has another name by now", async () => {
    const metrics = createProcessMetrics();
    const renamed = await (
      await heldNight()
    ).withYaml(heldYaml.replace("  accounts:\n", "  companies:\n"));
    const { config, state, stagingFolder } = renamed.deps;
    metrics.watch(createProjectLook({ config, state, inbox: undefined, stagingFolder }));
    expect(await samples(metrics)).toMatchObject({
      'sluice_runs_held{sync="companies"}': 0,
      'sluice_runs_held{sync="accounts"}': 1,
      'sluice_runs_open{sync="accounts"}': 1,
    });
  });

  it("tell the backlog of each inbox, and the bytes that are staged here", async () => {
    const { harness, metrics } = await counted(csvWithBroken(3, []));
    const { config, state, stagingFolder } = harness.deps;
    const inbox = await openInbox(config);
    onTestFinished(async () => await inbox.close());
    const events = [{ json: "{}" }, { json: "{}" }];
    await inbox.keep({ connection: "exports", receivedAt: Date.now() - 60_000, events });
    await inbox.keep({ connection: "of-another-configuration", events });
    metrics.watch(createProjectLook({ config, state, inbox, stagingFolder }));
    const run = await TestRun.open(harness);
    const { gzipBytes } = await run.stage();
    const found = await samples(metrics);
    expect(found['sluice_webhook_backlog{connection="exports"}']).toBe(2);
    const age = found['sluice_webhook_oldest_age_seconds{connection="exports"}'];
    expect(age).toBeGreaterThanOrEqual(60);
    expect(age).toBeLessThan(120);
    expect(Object.keys(found).join()).not.toContain("of-another-configuration");
    expect(found["sluice_staged_bytes"]).toBeGreaterThanOrEqual(gzipBytes);
  });

  it("say that the store is away, and nothing that was read before", async () => {
    const { metrics } = await counted(csvWithBroken(3, []));
    expect(await samples(metrics)).toMatchObject({ sluice_store_up: 1, sluice_staged_bytes: 0 });
    const names = { sync: ["accounts"], pull: [] };
    metrics.watch({ names, scheduled: [], look });
    const away = await samples(metrics);
    expect(away).toMatchObject({ sluice_store_up: 0 });
    const told = Object.keys(away).join();
    for (const name of ["sluice_staged_bytes", "sluice_runs_open", "sluice_key_refused"]) {
      expect(told).not.toContain(name);
    }
    metrics.watch(undefined);
    expect(await samples(metrics)).toMatchObject({ sluice_store_up: 0 });
  });

  it("wait five seconds for the store, and ask it once for all who scrape meanwhile", async () => {
    const { metrics } = await counted(csvWithBroken(3, []));
    let asked = 0;
    // A store that never answers.
    const neverAnswers = async (): Promise<never> => {
      asked += 1;
      return await new Promise(() => undefined);
    };
    const names = { sync: ["accounts"], pull: [] };
    metrics.watch({ names, scheduled: [], look: neverAnswers });
    const from = performance.now();
    const both = await Promise.all([samples(metrics), samples(metrics)]);
    const tookMs = performance.now() - from;
    expect(both).toMatchObject([{ sluice_store_up: 0 }, { sluice_store_up: 0 }]);
    expect(tookMs).toBeGreaterThan(4_900);
    // Prometheus gives a scrape 10 s.
    expect(tookMs).toBeLessThan(9_000);
    expect(asked).toBe(1);
  });

  it("count requests by the status of their answer, and those without one", async () => {
    const { metrics } = await counted(csvWithBroken(3, []));
    const lost = metrics.request("ping", async () => await Promise.reject(new Error("canary")));
    await expect(lost).rejects.toThrow("canary");
    await metrics.request("ping", async () => await Promise.resolve({ status: 503 }));
    expect(await samples(metrics)).toMatchObject({
      'sluice_requests_total{endpoint="ping",status="200"}': 0,
      'sluice_requests_total{endpoint="ping",status="503"}': 1,
      'sluice_requests_total{endpoint="ping",status="none"}': 1,
      'sluice_request_duration_seconds_count{endpoint="ping"}': 2,
    });
  });
});
