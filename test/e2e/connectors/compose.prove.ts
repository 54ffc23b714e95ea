import { spawn } from "node:child_process";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

import { keptPorts } from "../../support/process/kept-ports.ts";
import { end, until, watch, type Watched } from "../../support/process/process.ts";
import { bin } from "../../support/project/project.ts";
import { startAnyTemporal } from "../../support/temporal/any-temporal.ts";

const root = resolve(import.meta.dirname, "../../..");
const service = z.looseObject({
  command: z.array(z.string()),
  environment: z.record(z.string(), z.string()).default({}),
});
const compose = z.object({ services: z.looseObject({ "demo-worker": service, sandbox: service }) });

describe("the demo profile of docker-compose.yml", () => {
  it("works with the same commands and environment without containers", async () => {
    const file: unknown = parse(await readFile(join(root, "docker-compose.yml"), "utf8"), {
      merge: true,
    });
    const { services } = compose.parse(file);
    const folder = await mkdtemp(join(tmpdir(), "sluice-compose-"));
    onTestFinished(async () => await rm(folder, { recursive: true }));
    await cp(join(root, "examples/csv-to-accounts"), join(folder, "example"), {
      recursive: true,
      filter: (path) => !path.endsWith(".sluice"),
    });
    const temporal = await startAnyTemporal({ logFile: join(folder, "temporal.log") });
    const [sandboxPort = 0] = await keptPorts(1);
    onTestFinished(async () => await temporal.stop());

    // A container has its own names, ports and root folder; everything else is as in the file.
    const here = (text: string): string =>
      text
        .replace("temporal:7233", temporal.address)
        .replace("sandbox:8089", `127.0.0.1:${sandboxPort}`)
        .replace(/^8089$/, String(sandboxPort))
        .replace("/app/example", join(folder, "example"))
        .replace("/var/lib/sluice", join(folder, "state"));
    const start = (
      { environment }: z.output<typeof service>,
      command: readonly string[],
    ): Watched => {
      const env = Object.entries(environment).map(([name, value]) => [name, here(value)] as const);
      const child = spawn(process.execPath, [bin, ...command.map(here)], {
        cwd: folder,
        env: {
          PATH: process.env["PATH"],
          SLUICE_HOST: "127.0.0.1",
          ...Object.fromEntries<string>(env),
        },
        stdio: ["ignore", "pipe", "pipe"],
      });
      onTestFinished(async () => await end(child, "SIGTERM"));
      return watch(child);
    };
    start(services.sandbox, services.sandbox.command);
    const worker = start(services["demo-worker"], services["demo-worker"].command);
    await until(async () => worker.printed().stderr.includes("worker started"));
    // One JSON object a line, as SLUICE_LOG_FORMAT requests.
    expect(worker.printed().stderr.split("\n")[0]).toMatch(/^\{.*\}$/);
    const run = start(services["demo-worker"], ["run", "accounts"]);
    const { code, stdout } = await run.ended;
    expect(stdout).toContain("mode        heavyweight");
    expect(code).toBe(3);
  });
});
