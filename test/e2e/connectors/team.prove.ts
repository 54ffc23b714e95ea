import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { expect, it, onTestFinished } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";

import { ownPostgres } from "../../support/postgres/postgres.ts";
import { keptPorts } from "../../support/process/kept-ports.ts";
import { end, until, watch, type Watched } from "../../support/process/process.ts";
import { bin } from "../../support/project/project.ts";
import { startAnyTemporal } from "../../support/temporal/any-temporal.ts";

const root = resolve(import.meta.dirname, "../../..");
const service = z.looseObject({
  command: z.array(z.string()),
  environment: z.record(z.string(), z.string()).default({}),
  deploy: z.object({ replicas: z.int() }).default({ replicas: 1 }),
});
const team = z.object({
  services: z.looseObject({
    "team-migrate": service,
    "team-worker": service,
    "team-receiver": service,
    sandbox: service,
  }),
});

/** Starts our program as a container does, with replacements for a container's names, ports and folders. */
function starting(folder: string, here: (text: string) => string) {
  return (args: readonly string[], environment: Readonly<Record<string, string>>): Watched => {
    const env = Object.entries(environment).map(([name, value]) => [name, here(value)] as const);
    const child = spawn(process.execPath, [bin, ...args.map(here)], {
      cwd: folder,
      env: { PATH: process.env["PATH"], SLUICE_HOST: "127.0.0.1", ...Object.fromEntries(env) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(async () => await end(child, "SIGTERM"));
    return watch(child);
  };
}

async function isReady(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
  return answer?.status === 200;
}

/** A proxy that gives each request to the next of its servers, or to the other if one cannot be reached. */
async function startProxy(ports: readonly number[]): Promise<string> {
  let asked = 0;
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const port = ports[(asked += 1) % ports.length];
      const { headers, method, url: path } = request;
      const to = forward({ host: "127.0.0.1", port, path, method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502);
        answer.pipe(response);
      });
      to.on("error", () => response.writeHead(502).end());
      to.end(Buffer.concat(pieces));
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const { port }: Pick<AddressInfo, "port"> = z.object({ port: z.int() }).parse(server.address());
  return `http://127.0.0.1:${port}`;
}

/** Posts an event, signed as its sender does. @returns the status. */
async function post(address: string, secret: string, n: number): Promise<number> {
  const data = { id: `event-${n}`, email: `somebody@c${n}.example` };
  const body = JSON.stringify({ type: "form.submitted", timestamp: "2026-11-20T09:15:00Z", data });
  const [id, now] = [`delivery-${n}`, Math.floor(Date.now() / 1_000)];
  const mac = createHmac("sha256", secret).update(`${id}.${now}.${body}`).digest("base64");
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(now),
    "webhook-signature": `v1,${mac}`,
  };
  return (await fetch(`${address}/hooks/forms`, { method: "POST", headers, body })).status;
}

it("the profile team works with the same commands and environment without containers", async () => {
  const file: unknown = parse(await readFile(join(root, "docker-compose.yml"), "utf8"), {
    merge: true,
  });
  const { services } = team.parse(file);
  const folder = await mkdtemp(join(tmpdir(), "sluice-team-"));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  await cp(join(root, "examples/csv-to-accounts"), join(folder, "example"), { recursive: true });
  await cp(join(root, "deploy/team"), join(folder, "team"), { recursive: true });
  const { url } = await ownPostgres();
  const temporal = await startAnyTemporal({ logFile: join(folder, "temporal.log") });
  onTestFinished(async () => await temporal.stop());
  const { "team-worker": worker, "team-receiver": receiver } = services;
  const hosts = worker.deploy.replicas + receiver.deploy.replicas;
  expect(hosts).toBe(5);
  const [sandboxPort = 0, ...ports] = await keptPorts(1 + hosts);
  const on = (host: number) =>
    starting(folder, (text) =>
      text
        .replace("temporal:7233", temporal.address)
        .replace("sandbox:8089", `127.0.0.1:${sandboxPort}`)
        .replace(/^8089$/, String(sandboxPort))
        .replace(/^8090$|(?<=:)9464$/, String(ports[host]))
        .replace(/^postgres:.*@store-db:.*/, url)
        .replace(/^\$\{\w+:-(.*)\}$/, "$1")
        .replace("/tls/server.crt", "")
        .replace("/app/", `${folder}/`)
        .replace("/var/lib/sluice", join(folder, `state-${host}`)),
    );
  on(9)(services.sandbox.command, services.sandbox.environment);
  const migrate = services["team-migrate"];
  expect((await on(9)(migrate.command, migrate.environment).ended).code).toBe(0);
  for (const host of ports.keys()) {
    const { command, environment } = host < worker.deploy.replicas ? worker : receiver;
    on(host)(command, environment);
  }
  for (const port of ports) await until(async () => await isReady(port));

  const proxy = await startProxy(ports.slice(worker.deploy.replicas));
  const secret = "only-for-the-local-sandbox-1234";
  for (let n = 0; n < 10; n += 1) expect(await post(proxy, secret, n)).toBe(202);
  const run = await on(9)(["run", "accounts"], worker.environment).ended;
  expect([run.code, run.stdout]).toEqual([3, expect.stringContaining("sent")]);
  const events = `http://127.0.0.1:${sandboxPort}/_sandbox/records?stream=contact_event`;
  await until(async () => {
    const lines = (await (await fetch(events)).text()).split("\n").filter((line) => line !== "");
    return lines.length === 10;
  });
  const { stdout } = await on(9)(["status"], worker.environment).ended;
  expect(stdout).toContain("3 workers on 3 hosts");
}, 240_000);

const container = z.looseObject({
  args: z.array(z.string()),
  ports: z.array(z.object({ containerPort: z.int() })).default([]),
});
const resource = z.looseObject({
  kind: z.string(),
  metadata: z.object({ name: z.string() }),
  data: z.record(z.string(), z.string()).default({}),
  stringData: z.record(z.string(), z.string()).default({}),
  spec: z
    .looseObject({
      template: z.object({ spec: z.looseObject({ containers: z.array(container) }) }).optional(),
    })
    .optional(),
});

it("deploy/kubernetes works with the same arguments and environment without containers", async () => {
  const names = ["config", "secret", "migrate", "worker", "receiver"];
  const texts = await Promise.all(
    names.map(async (name) => await readFile(join(root, `deploy/kubernetes/${name}.yaml`), "utf8")),
  );
  const all = texts.flatMap((text) =>
    parseAllDocuments(text).map((document) => resource.parse(document.toJS())),
  );
  const found = (kind: string, name: string): z.output<typeof resource> =>
    resource.parse(all.find((one) => one.kind === kind && one.metadata.name === name));
  const folder = await mkdtemp(join(tmpdir(), "sluice-kubernetes-"));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  await mkdir(join(folder, "etc"));
  const yaml = found("ConfigMap", "sluice").data["sluice.yaml"] ?? "";
  await writeFile(join(folder, "etc/sluice.yaml"), yaml);
  const { url } = await ownPostgres();
  const temporal = await startAnyTemporal({ logFile: join(folder, "temporal.log") });
  onTestFinished(async () => await temporal.stop());
  const ports = await keptPorts(2);
  const environment = {
    ...found("ConfigMap", "sluice-environment").data,
    ...found("Secret", "sluice").stringData,
    ...found("Secret", "sluice-migrate").stringData,
  };
  const start = async (kind: string, name: string, port = 0): Promise<Watched> => {
    const [{ args, ports: opened } = { args: [], ports: [] }] =
      found(kind, name).spec?.template?.spec.containers ?? [];
    const its = String(opened[0]?.containerPort ?? "none");
    return starting(folder, (text) =>
      text
        .replace(/^temporal-frontend.*/, temporal.address)
        .replace(/^postgres:.*@store.*/, url)
        .replace("0.0.0.0:", "127.0.0.1:")
        .replace(new RegExp(`(?<=^|:)${its}$`), String(port))
        .replace("/etc/sluice", join(folder, "etc"))
        .replace("/var/lib/sluice", join(folder, name)),
    )(args, environment);
  };
  const migrate = await start("Job", "sluice-migrate");
  expect((await migrate.ended).code).toBe(0);
  await start("Deployment", "sluice-worker", ports[0]);
  await start("Deployment", "sluice-receiver", ports[1]);
  for (const port of ports) await until(async () => await isReady(port));
}, 120_000);
