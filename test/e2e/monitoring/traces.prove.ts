import { expect, it, onTestFinished } from "vitest";

import { startOtlpCollector } from "../../support/metrics/otlp-collector.ts";
import { end, until } from "../../support/process/process.ts";
import { accountsConfig, accountsCsv, Project } from "../../support/project/project.ts";

it("a worker tells a collector each run as one trace, also one that continues as new", async () => {
  const collector = await startOtlpCollector();
  const project = await Project.start(onTestFinished, {
    "sluice.yaml": accountsConfig({
      sync: "chunk: { records: 1000 }",
      advanced: ", chunks_per_run: 1",
    }),
    "accounts.csv": accountsCsv(3_000),
  });
  const worker = await project.worker({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.address });
  const { run_id: runId } = await (await project.start({ sync: "accounts" })).result();
  // The last spans are exported when it stops.
  await end(worker, "SIGTERM");
  await until(async () => collector.spans.some(({ name }) => name === "run accounts"));
  const run = collector.spans.find(({ name }) => name === "run accounts");
  expect(run?.attributes).toMatchObject({ run: runId, read: 3_000, outcome: "done" });
  const ofRun = collector.spans.filter(({ traceId }) => traceId === run?.traceId);
  const count = (name: string): number => ofRun.filter((span) => span.name === name).length;
  // Three chunks, and one that finds the end of the file.
  expect(count("RunActivity:commitChunk")).toBe(4);
  expect(count("confirmUpload")).toBe(3);
  const known = new Set(ofRun.map(({ spanId }) => spanId));
  const lost = ofRun.filter((span) => span !== run && !known.has(span.parentSpanId ?? ""));
  expect(lost).toEqual([]);
  expect(collector.bodies.join("")).not.toMatch(/Company|example|\ba2999\b/);
});

it("a worker whose collector has no address does not begin, and says what to set", async () => {
  const project = await Project.start(onTestFinished, { "sluice.yaml": accountsConfig() });
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" };
  const { code, stderr } = await project.sluiceWith(env, "worker");
  expect(code).toBe(2);
  expect(stderr).toContain("OTEL_EXPORTER_OTLP_ENDPOINT must be the address of a collector");
});
