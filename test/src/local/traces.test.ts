import { MockActivityEnvironment } from "@temporalio/testing";
import { expect, it, onTestFinished, vi } from "vitest";

import { startTraces, type Traces } from "../../../src/local/traces.ts";
import { createServiceClient } from "../../../src/service/client.ts";
import { refuseCanaries } from "../../support/canaries.ts";
import { type OtlpCollector, startOtlpCollector } from "../../support/metrics/otlp-collector.ts";
import { accountsYaml, Harness, quiet } from "../../support/project/harness.ts";
import { csvWithBroken } from "../../support/project/test-run.ts";

type Traced = {
  readonly collector: OtlpCollector;
  readonly harness: Harness;
  readonly traces: Traces;
};

/** A project whose activities and requests, to the sandbox or another service, are traced as a worker's are. */
async function traced(service?: string): Promise<Traced> {
  const collector = await startOtlpCollector();
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address);
  onTestFinished(() => void vi.unstubAllEnvs());
  const traces = startTraces();
  onTestFinished(async () => await traces.close());
  const files = { "accounts.csv": csvWithBroken(20, [3]) };
  const plain = await Harness.open({ yaml: accountsYaml(), files });
  const { config, state } = plain.deps;
  const address = new URL(service ?? plain.sandbox.address);
  const addresses = { baseUrl: address, legacyBaseUrl: address };
  const how = { addresses, state, proxy: undefined, effect: traces.request };
  const api = createServiceClient(config, how);
  onTestFinished(async () => await api.close());
  return { collector, traces, harness: plain.with({ api, runClosed: traces.runClosed }) };
}

/** Runs one attempt of an activity as a tracing worker would. */
async function perform<Input, Result>(
  { traces }: Traced,
  activity: readonly [name: string, run: (input: Input) => Promise<Result>],
  input: Input,
): Promise<Result> {
  const [activityType, run] = activity;
  const how = { interceptors: [traces.activity], logger: quiet };
  const environment = new MockActivityEnvironment({ activityType, attempt: 2 }, how);
  return await environment.run<[Input], Result, typeof run>(run, input);
}

it("a run is one trace: itself, its activities in it, and their requests in them, without a row or a key", async () => {
  const all = await traced();
  const { collector, harness, traces } = all;
  const { openRun, stageChunk, uploadJson, commitChunk, closeRun } = harness.activities;
  const runId = "run-1";
  const asked = { sync: "accounts", kind: "sync", runId, request: {} } as const;
  const workflow = { workflowId: "sync-accounts", firstRunId: "first" };
  const opened = await perform(all, ["openRun", openRun], { ...asked, ...workflow });
  const { stage } = await perform(all, ["stageChunk", stageChunk], { ...opened, chunk: 1 });
  const part = { ...opened, chunk: 1, stage, part: 0 };
  await perform(all, ["uploadJson", uploadJson], part);
  await perform(all, ["commitChunk", commitChunk], { ...opened, chunk: 1, stage });
  await perform(all, ["closeRun", closeRun], { runId, outcome: "done" });
  await traces.close();

  const named = new Map(collector.spans.map((span) => [span.name, span]));
  const run = named.get("run accounts");
  expect(run).toMatchObject({
    attributes: { run: runId, outcome: "done_with_rejects", read: 20, sent: 19, rejected: 1 },
  });
  expect(run?.parentSpanId ?? "").toBe("");
  const names = ["openRun", "stageChunk", "uploadJson", "commitChunk", "closeRun"];
  for (const name of names) {
    const span = named.get(`RunActivity:${name}`);
    expect([name, span?.traceId, span?.parentSpanId]).toEqual([name, run?.traceId, run?.spanId]);
  }
  const upload = named.get("RunActivity:uploadJson");
  expect(upload?.attributes).toMatchObject({ chunk: 1, stage, part: 0, attempt: 2 });
  const request = named.get("uploadJson");
  expect(request).toMatchObject({ traceId: run?.traceId, parentSpanId: upload?.spanId });
  expect(request?.attributes).toMatchObject({ "http.response.status_code": 200 });
  expect(collector.resources[0]).toMatchObject({ "service.name": "sluice" });
  const text = collector.bodies.join("\n");
  refuseCanaries({ what: "what a collector is told", text });
  // No row, no key of one, and no address; a randomly drawn id may end with a key.
  expect(text).not.toMatch(/\ba3\b|c3\.example|Company|https?:/);
});

it("a request that fails says its status, and neither its address nor what was answered", async () => {
  const { collector, harness, traces } = await traced();
  harness.sandbox.order("ping", { status: 500, body: { detail: "row of somebody" } });
  await harness.deps.api.ping({ signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  await traces.close();
  const [span] = collector.spans;
  expect(span).toMatchObject({
    status: { code: 2 },
    attributes: { "http.response.status_code": 500 },
  });
  expect(collector.bodies.join("")).not.toMatch(/somebody|http:/);
});

it("a request without an answer says its code alone", async () => {
  // Nothing listens there.
  const { collector, harness, traces } = await traced("http://127.0.0.1:9");
  await harness.deps.api.ping({ signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  await traces.close();
  const [span] = collector.spans;
  expect(span?.status).toMatchObject({ code: 2 });
  expect(span?.status.message).toMatch(/^[A-Z]\w+$/);
});

it("a collector that is away delays the end of a worker by two seconds at most, and nothing else", async () => {
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9");
  onTestFinished(() => void vi.unstubAllEnvs());
  const traces = startTraces();
  expect(await traces.request("ping", async () => await Promise.resolve(7))).toBe(7);
  const from = performance.now();
  await traces.close();
  expect(performance.now() - from).toBeLessThan(5_000);
});
