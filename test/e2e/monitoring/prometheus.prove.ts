import { execFile, spawn } from "node:child_process";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";

import { freePorts } from "../../../src/local/ports.ts";
import { refuseCanaries } from "../../support/canaries.ts";
import { metricsNamedIn } from "../../support/metrics/named.ts";
import { samplesOf } from "../../support/metrics/samples.ts";
import { end, until, watch } from "../../support/process/process.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import { programOnPath } from "../../support/program-on-path.ts";
import { Project } from "../../support/project/project.ts";
import { csvWithBroken } from "../../support/project/test-run.ts";
import { formsConfig, postSubmission, ReceiverProcess } from "../../support/webhooks/webhooks.ts";

const run = promisify(execFile);
const deploy = resolve(import.meta.dirname, "../../../deploy");
const rulesFolder = join(deploy, "prometheus");

const vector = z.object({
  data: z.object({
    result: z.array(
      z.object({
        metric: z.record(z.string(), z.string()),
        value: z.tuple([z.number(), z.string()]),
      }),
    ),
  }),
});

const targets = z.object({
  data: z.object({ activeTargets: z.array(z.object({ health: z.string() })) }),
});

/** The project of `formsConfig`, and next to it a sync of a file. */
function twoSyncs(): string {
  return formsConfig()
    .replace("connections:\n", "connections:\n  exports: { connector: csv, path: accounts.csv }\n")
    .replace(
      "syncs:\n",
      `syncs:
  accounts:
    from: exports
    stream: account
    record: { account_id: id, domain: domain, account_properties: { name: name } }
`,
    );
}

/** Debian's Prometheus, which scrapes these ports each second, with the unchanged rules of this repository. */
async function startPrometheus(ports: readonly number[]): Promise<URL> {
  const folder = await temporaryFolder();
  await copyFile(join(rulesFolder, "alerts.yaml"), join(folder, "alerts.yaml"));
  const example = await readFile(join(rulesFolder, "prometheus.yaml"), "utf8");
  const [http, receiver, temporal] = ports;
  const config = example
    .replaceAll("15s", "1s")
    .replaceAll("127.0.0.1:9464", `127.0.0.1:${http}`)
    .replaceAll("127.0.0.1:8090", `127.0.0.1:${receiver}`)
    .replaceAll("127.0.0.1:9465", `127.0.0.1:${temporal}`);
  await writeFile(join(folder, "prometheus.yaml"), config);
  const [port = 0] = await freePorts("127.0.0.1", 1);
  const child = spawn(programOnPath("prometheus"), [
    `--config.file=${join(folder, "prometheus.yaml")}`,
    `--storage.tsdb.path=${join(folder, "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  const { printed, ended } = watch(child);
  onTestFinished(async () => {
    await end(child, "SIGKILL");
    await ended;
  });
  const address = new URL(`http://127.0.0.1:${port}`);
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`prometheus ended: ${printed().stderr}`);
    return (await fetch(new URL("/-/ready", address)).catch(() => undefined))?.ok;
  });
  return address;
}

async function query(
  prometheus: URL,
  text: string,
): Promise<z.output<typeof vector>["data"]["result"]> {
  const url = new URL("/api/v1/query", prometheus);
  url.searchParams.set("query", text);
  return vector.parse(await (await fetch(url)).json()).data.result;
}

async function promtool(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(programOnPath("promtool", "prometheus"), args, { cwd: rulesFolder });
  return stdout;
}

/** The address of a port of this machine. */
function at(port: number): string {
  return `127.0.0.1:${port}`;
}

/** The labels of the firing instances of an alert. */
async function firing(prometheus: URL, alert: string): Promise<readonly object[]> {
  const found = await query(prometheus, `ALERTS{alertname="${alert}",alertstate="firing"}`);
  return found.map(({ metric: { sync, severity } }) => ({ sync, severity }));
}

it("promtool takes the rules and the example, and each alert fires in its test", async () => {
  expect(await promtool("check", "rules", "alerts.yaml")).toContain("SUCCESS: 10 rules found");
  expect(await promtool("check", "config", "prometheus.yaml")).toContain("SUCCESS");
  expect(await promtool("test", "rules", "alerts.test.yaml")).toContain("SUCCESS");
});

it("a Prometheus scrapes a worker and a receiver, two alerts fire, and the dashboard has its figures", async () => {
  const broken = Array.from({ length: 150 }, (_, row) => row * 20);
  const project = await Project.start(onTestFinished, {
    "sluice.yaml": twoSyncs(),
    "accounts.csv": csvWithBroken(4_000, broken),
  });
  const [http = 0, temporal = 0] = await freePorts("127.0.0.1", 2);
  await project.worker({}, "--http", at(http), "--temporal-metrics", at(temporal));
  const receiver = await ReceiverProcess.start(project, onTestFinished);
  const prometheus = await startPrometheus([
    http,
    Number(new URL(receiver.address).port),
    temporal,
  ]);
  await until(async () => {
    const answer = await fetch(new URL("/api/v1/targets", prometheus));
    const { activeTargets } = targets.parse(await answer.json()).data;
    return activeTargets.length === 3 && activeTargets.every(({ health }) => health === "up");
  });
  expect(await firing(prometheus, "SluiceRejectsAbove")).toEqual([]);

  await postSubmission(receiver.address, 1);
  const { counts } = await (await project.start({ sync: "accounts" })).result();
  expect(counts).toMatchObject({ read: 4_000, rejected: 150 });
  await until(async () => (await firing(prometheus, "SluiceRejectsAbove")).length > 0);
  expect(await firing(prometheus, "SluiceRejectsAbove")).toEqual([
    { sync: "accounts", severity: "ticket" },
  ]);
  const rows = await query(prometheus, 'sum by (result) (sluice_rows_total{sync="accounts"})');
  const counted = new Map(rows.map(({ metric, value }) => [metric["result"], Number(value[1])]));
  expect([counted.get("sent"), counted.get("rejected")]).toEqual([counts.sent, counts.rejected]);

  expect(await firing(prometheus, "SluiceKeyRefused")).toEqual([]);
  project.sandbox.order({ step: "upload-json", do: { status: 401 } });
  await project.write("accounts.csv", csvWithBroken(5, []).replaceAll(",name ", ",other "));
  await (await project.start({ sync: "accounts" }, "second")).result().catch(() => undefined);
  await until(async () => (await firing(prometheus, "SluiceKeyRefused")).length > 0);

  const dashboard = await readFile(join(deploy, "grafana/sluice.json"), "utf8");
  const names = [...metricsNamedIn(dashboard), "temporal_worker_task_slots_available"];
  const answers = await Promise.all(names.map(async (name) => await query(prometheus, name)));
  const silent = names.filter((_, n) => answers[n]?.length === 0);
  // Nothing was refused, and nothing came twice.
  expect(silent).toEqual(["sluice_webhook_refused_total"]);

  for (const from of [`http://${at(http)}`, receiver.address]) {
    const text = await (await fetch(new URL("/metrics", from))).text();
    refuseCanaries({ what: `/metrics of ${from}`, text });
    expect(Object.keys(samplesOf(text)).length).toBeGreaterThan(40);
  }
});
