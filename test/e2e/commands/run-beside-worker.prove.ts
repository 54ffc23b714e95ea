import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";

import { uiPortDefault } from "../../../src/cli/limits.ts";
import { connectTemporal } from "../../../src/local/connect.ts";
import { interruptibleRun, Laptop } from "../../support/process/laptop.ts";
import { end, until, watch } from "../../support/process/process.ts";
import { accountsConfig, accountsCsv, Project } from "../../support/project/project.ts";

const ready = z.object({ ready: z.literal(true), temporal: z.string(), pages: z.string() });
const report = z.object({ outcome: z.string(), workflow_id: z.string() });

/** `sluice dev` on a laptop, and the workers that poll its queue. */
type Dev = {
  readonly child: ChildProcess;
  /** The address that it printed for its pages. */
  readonly pages: string;
  readonly pollers: () => Promise<readonly string[]>;
  /** Resolves once it works with a changed configuration. */
  readonly tookUp: () => Promise<unknown>;
};

async function startDev(laptop: Laptop): Promise<Dev> {
  const child = laptop.start(["dev", "--json"]);
  const { printed } = watch(child);
  const line = await until(async () => /^\{"ready".*$/m.exec(printed().stdout)?.[0]);
  const { temporal, pages } = ready.parse(JSON.parse(line));
  const { client, close } = await connectTemporal(temporal);
  onTestFinished(close);
  return {
    child,
    pages,
    tookUp: async () =>
      await until(async () =>
        Object.values(printed()).some((text) =>
          text.includes("the changed configuration is in use"),
        ),
      ),
    pollers: async () => {
      const types = [1, 2].map(async (taskQueueType) => {
        const queue = { namespace: "default", taskQueue: { name: "sluice" }, taskQueueType };
        const { pollers } = await client.workflowService.describeTaskQueue(queue);
        return (pollers ?? []).map(({ identity }) => /^\d+/.exec(identity ?? "")?.[0] ?? "");
      });
      return [...new Set((await Promise.all(types)).flat())];
    },
  };
}

describe("`sluice run` beside `sluice dev`", () => {
  it("is a client, leaves the run to dev on Ctrl-C, and takes the work over when dev dies", async () => {
    const laptop = await Laptop.open(interruptibleRun(8_000));
    const taking = createServer();
    // Whether this test or another program has the port of the pages, `dev` has to take another one.
    await Promise.race([
      once(taking, "error"),
      once(taking.listen(uiPortDefault, "127.0.0.1"), "listening"),
    ]);
    const dev = await startDev(laptop);
    taking.close();
    const sentAll = { outcome: "done", balanced: true, counts: { read: 8_000, sent: 8_000 } };
    const first = await laptop.run(["run", "accounts", "--json"]);
    expect(JSON.parse(first.stdout)).toMatchObject(sentAll);
    const file = join(laptop.folder, "sluice.yaml");
    const config = await readFile(file, "utf8");
    await writeFile(file, config.replace("from: exports", "send: all\n    from: exports"));
    // In between there is briefly no worker, and a run would start one.
    await dev.tookUp();
    // Where it was printed, although the usual port is free by now.
    expect((await fetch(new URL("/runs", dev.pages))).status).toBe(200);

    const left = laptop.start(["run", "accounts"]);
    const whileLeft = watch(left);
    await until(async () => whileLeft.printed().stderr.includes("heavyweight"));
    left.kill("SIGINT");
    const { code, stderr } = await whileLeft.ended;
    expect([code, stderr]).toEqual([
      130,
      expect.stringContaining("interrupted; the run continues"),
    ]);
    const [, workflowId = ""] = /workflow (\S+)$/m.exec(stderr) ?? [];
    await until(async () => {
      const { stdout } = await laptop.run(["runs", "list", "--json"]);
      const run = report.safeParse(JSON.parse(stdout.trim().split("\n")[0] ?? "")).data;
      return run?.outcome === "done" && run.workflow_id === workflowId;
    });
    expect(await dev.pollers()).toEqual([String(dev.child.pid)]);

    const whileDying = watch(laptop.start(["run", "accounts", "--json"]));
    await until(async () => whileDying.printed().stderr.includes("heavyweight"));
    await end(dev.child, "SIGKILL");
    const last = await whileDying.ended;
    expect(last.code).toBe(0);
    expect(JSON.parse(last.stdout)).toMatchObject(sentAll);
  });
});

describe("`sluice run` beside `sluice worker`", () => {
  it("is not begun where the worker has another configuration", async () => {
    const files = { "sluice.yaml": accountsConfig(), "accounts.csv": accountsCsv(3) };
    const project = await Project.start(onTestFinished, files);
    await project.worker();
    await project.write("sluice.yaml", accountsConfig({ sync: "send: all" }));
    const { code, stderr } = await project.sluice("run", "accounts");
    expect([code, stderr]).toEqual([1, expect.stringContaining("has another configuration of")]);
    expect(await project.state.runs({ limit: 1 })).toEqual([]);
  });
});
