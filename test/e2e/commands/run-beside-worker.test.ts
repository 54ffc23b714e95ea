import type { ChildProcess } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";

import { connectTemporal } from "../../../src/local/connect.ts";
import { interruptibleRun, Laptop, laptopConfig } from "../../support/process/laptop.ts";
import { end, until, watch } from "../../support/process/process.ts";
import { accountsConfig, accountsCsv, Project } from "../../support/project/project.ts";

const ready = z.object({ ready: z.literal(true), temporal: z.string() });
const report = z.object({ outcome: z.string(), workflow_id: z.string() });

/** `sluice dev` of a laptop, and who has polled its queue. */
type Dev = {
  readonly child: ChildProcess;
  readonly pollers: () => Promise<readonly string[]>;
  /** Resolves once it works with a configuration that changed. */
  readonly tookUp: () => Promise<unknown>;
};

async function startDev(laptop: Laptop): Promise<Dev> {
  const child = laptop.start(["dev", "--json"]);
  const { printed } = watch(child);
  const line = await until(async () => /^\{"ready".*$/m.exec(printed().stdout)?.[0]);
  const { client, close } = await connectTemporal(ready.parse(JSON.parse(line)).temporal);
  onTestFinished(close);
  return {
    child,
    tookUp: async () =>
      await until(async () =>
        Object.values(printed()).some((text) =>
          text.includes("the changed configuration is taken up"),
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
  it("is a client: dev's worker alone polls, also after the configuration has changed", async () => {
    const laptop = await Laptop.open({
      "sluice.yaml": laptopConfig,
      "accounts.csv": accountsCsv(3),
    });
    const dev = await startDev(laptop);
    const first = await laptop.run(["run", "accounts", "--json"]);
    expect(JSON.parse(first.stdout)).toMatchObject({ outcome: "done", counts: { sent: 3 } });
    const changed = laptopConfig.replace("from: exports", "send: all\n    from: exports");
    await writeFile(join(laptop.folder, "sluice.yaml"), changed);
    // In between there is no worker for a moment, and a run would start one.
    await dev.tookUp();
    const second = await laptop.run(["run", "accounts", "--json"]);
    expect(JSON.parse(second.stdout)).toMatchObject({ outcome: "done", counts: { sent: 3 } });
    expect(await dev.pollers()).toEqual([String(dev.child.pid)]);
  });

  it("leaves the run to it on Ctrl-C, and ends at once", async () => {
    const laptop = await Laptop.open(interruptibleRun(8_000));
    await startDev(laptop);
    const child = laptop.start(["run", "accounts"]);
    const { printed, ended } = watch(child);
    await until(async () => printed().stderr.includes("heavyweight"));
    child.kill("SIGINT");
    const { code, stderr } = await ended;
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
  });

  it("takes the work over when dev dies, and finishes the run", async () => {
    const laptop = await Laptop.open(interruptibleRun(8_000));
    const dev = await startDev(laptop);
    const child = laptop.start(["run", "accounts", "--json"]);
    const { printed, ended } = watch(child);
    await until(async () => printed().stderr.includes("heavyweight"));
    await end(dev.child, "SIGKILL");
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: "done",
      balanced: true,
      counts: { read: 8_000, sent: 8_000 },
    });
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
