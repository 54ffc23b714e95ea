import { setTimeout as delay } from "node:timers/promises";

import { describe, expect, it, onTestFinished } from "vitest";

import type { RunReport } from "../../../src/report/report.ts";
import { end, until } from "../../support/process/process.ts";
import { accountsConfig, accountsCsv, Project } from "../../support/project/project.ts";

const timeoutMs = 240_000;

/** How long the service holds a request; the steps in between must fit in. */
const holdMs = 45_000;

const rows = 5;

type Mode = "heavyweight" | "lightweight";

type Story = {
  readonly how: string;
  readonly mode: Mode;
  /** The time after which a dead worker is noticed. @default 5s */
  readonly heartbeat?: string;
  readonly giveUp: (project: Project) => Promise<void>;
};

/** How a run that waits for the service ends, and in which mode. */
const ends: readonly Story[] = [
  { how: "is cancelled", mode: "heavyweight", giveUp: cancelled },
  // Noticed later than the server stops reserving the workflow's tasks for the dead worker: the cancel comes first.
  {
    how: "loses its worker and is cancelled",
    mode: "heavyweight",
    heartbeat: "20s",
    giveUp: orphaned,
  },
  { how: "is terminated", mode: "heavyweight", giveUp: terminated },
  { how: "loses its worker, and is sent by another", mode: "lightweight", giveUp: killed },
];

async function cancelled(project: Project): Promise<void> {
  await project.worker();
  const run = await begun(project);
  expect((await project.sluice("cancel", run.workflowId)).code).toBe(0);
  await expect(run.result()).rejects.toThrow("cancelled");
}

/** The attempt of a dead worker times out after the cancel was requested: the run is cancelled all the same. */
async function orphaned(project: Project): Promise<void> {
  const worker = await project.worker();
  const run = await begun(project);
  await project.worker();
  await end(worker, "SIGKILL");
  expect((await project.sluice("cancel", run.workflowId)).code).toBe(0);
  await expect(run.result()).rejects.toThrow("cancelled");
  expect((await project.state.runs({ limit: 1 }))[0]).toMatchObject({ outcome: "cancelled" });
}

async function terminated(project: Project): Promise<void> {
  await project.worker();
  await (await begun(project)).terminate("by hand");
}

async function killed(project: Project): Promise<void> {
  const worker = await project.worker();
  const run = await begun(project);
  await end(worker, "SIGKILL");
  await project.worker();
  await run.result();
}

/** A run whose only part is on its way to the service. */
async function begun(project: Project): ReturnType<Project["start"]> {
  const run = await project.start({ sync: "accounts" });
  await until(async () => {
    const [stored] = await project.state.runs({ limit: 1 });
    const name = { runId: stored?.runId ?? "", chunk: 1, stage: 1, part: 0 };
    const receipt = await project.state.receipt(name);
    return receipt?.state === "sending" || receipt?.state === "confirming";
  });
  // A part that is marked is sent soon after; the service does not report a request that it holds.
  await delay(2_000);
  return run;
}

async function transfer(project: Project, id: string): Promise<RunReport> {
  return await (await project.start({ sync: "accounts" }, id)).result();
}

describe("a request that the service applies late", () => {
  it.each(ends)(
    "is overwritten once more when its run $how ($mode)",
    async ({ mode, heartbeat = "5s", giveUp }) => {
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": accountsConfig({
          sync: `mode: ${mode}`,
          advanced: `, heartbeat_timeout: ${heartbeat}`,
        }),
        "accounts.csv": accountsCsv(rows, (row) => `WRONG ${row}`),
      });
      const step = mode === "heavyweight" ? "confirm-upload" : "upload-json";
      project.sandbox.order({ step, do: { holdMs } });
      await giveUp(project);

      await project.write(
        "accounts.csv",
        accountsCsv(rows, (row) => `RIGHT ${row}`),
      );
      const sent = { outcome: "done", counts: { sent: rows } };
      expect(await transfer(project, "second")).toMatchObject(sent);
      expect((await project.records()).get("a0")).toContain("RIGHT 0");
      await until(async () => (await project.records()).get("a0")?.includes("WRONG 0") === true);

      expect(await transfer(project, "third")).toMatchObject(sent);
      expect((await project.records()).get("a0")).toContain("RIGHT 0");
      expect((await project.sluice("status")).stdout).toContain(
        "an older value may still be applied over 5 records",
      );
      const resending = await project.temporal.client.workflow
        .getHandle("resend-accounts")
        .describe();
      expect(resending.status.name).toBe("RUNNING");
    },
    timeoutMs,
  );
});
