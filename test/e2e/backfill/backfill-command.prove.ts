import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";

import { until } from "../../support/process/process.ts";
import { accountsConfig, accountsCsv, bin, Project } from "../../support/project/project.ts";

const timeoutMs = 240_000;
const workflowId = "backfill-accounts";

const shown = z.object({
  run_id: z.string(),
  plan: z.looseObject({ sync: z.literal("accounts") }),
  samples: z.array(z.object({ key: z.string(), status: z.string(), record: z.looseObject({}) })),
});

async function projectOf(rows: number, autoUpTo: number, more = ""): Promise<Project> {
  return await Project.start(onTestFinished, {
    "sluice.yaml": accountsConfig({ sync: `approve: { auto_up_to: ${autoUpTo} }${more}` }),
    "accounts.csv": accountsCsv(rows),
  });
}

/** Runs a command that prints rows, which `project.sluice` would treat as a leak. */
async function showing(project: Project, ...args: string[]): Promise<string> {
  const options = { cwd: project.folder, env: project.env };
  return (await promisify(execFile)(process.execPath, [bin, ...args], options)).stdout;
}

/** Whether the newest run of the id is an ended template, as the start form needs it. */
async function isSeeded({ temporal: { client } }: Project): Promise<boolean> {
  const { memo, status } = await client.workflow.getHandle(workflowId).describe();
  return memo?.["sluice_template"] === true && status.name === "COMPLETED";
}

describe("sluice backfill", () => {
  it(
    "shows the plan, needs --yes without a terminal, sends, and shows its samples",
    async () => {
      const project = await projectOf(12_000, 0);
      await project.worker();
      await until(async () => await isSeeded(project));

      const unasked = await project.sluice("backfill", "accounts", "--lanes", "2", "--send", "all");
      expect(unasked.code).toBe(2);
      expect(unasked.stdout).toMatch(/^rows to read +about 1\d,\d{3}, estimated$/m);
      expect(unasked.stdout).toMatch(/^1 +about \d,\d{3}, estimated$/m);
      expect(unasked.stderr).toContain("needs --yes");
      expect((await project.records()).size).toBe(0);
      expect(await project.report()).toMatchObject({ kind: "backfill", outcome: "discarded" });

      const why = ["--reason", "their CRM was wrong"];
      const sent = await project.sluice("backfill", "accounts", "--lanes", "2", "--yes", ...why);
      expect(sent.code).toBe(0);
      expect(sent.stdout).toMatch(/^ {2}note {8}their CRM was wrong$/m);
      expect(sent.stdout).toMatch(/^lanes +2$/m);
      expect(sent.stdout).toContain("read 12,000 = sent 12,000");
      expect((await project.records()).size).toBe(12_000);

      const { run_id: runId } = await project.report();
      const text = await showing(project, "backfill", "--show", runId);
      expect(text).toContain("accounts: 10 sample records");
      expect(text).toContain('"account_id":"a0"');
      const facts = shown.parse(
        JSON.parse(await showing(project, "backfill", "--show", workflowId, "--json")),
      );
      expect(facts).toMatchObject({
        run_id: runId,
        plan: { lanes: [expect.any(Number), expect.any(Number)] },
      });
      expect(facts.samples).toHaveLength(10);

      const followed = await project.sluice("backfill", "--follow", runId, "--json");
      expect(JSON.parse(followed.stdout)).toMatchObject({ report: { run_id: runId } });
      // Seeded again, so that the form is not prefilled from what was sent.
      await until(async () => await isSeeded(project));
    },
    timeoutMs,
  );

  it(
    "follows the one that continues, approves it, and prints one object",
    async () => {
      const project = await projectOf(300, 0);
      await project.worker();
      const { client } = project.temporal;
      const handle = await client.workflow.start("backfill", {
        taskQueue: "sluice",
        workflowId,
        args: [{ sync: "accounts" }],
      });
      await until(async () => (await handle.query("plan")) !== null);
      const busy = await project.sluice("backfill", "accounts", "--limit", "5", "--yes");
      expect(busy.code).toBe(1);
      expect(busy.stderr).toContain("continues already");
      // Its plan is no longer valid: another one is made, shown and approved.
      await project.write("accounts.csv", accountsCsv(900));
      const sent = await project.sluice("backfill", "accounts", "--yes", "--json");
      expect(sent.stderr).toContain(`following workflow ${workflowId}`);
      expect(sent.stderr).toContain("the plan did not hold any more");
      expect(JSON.parse(sent.stdout)).toMatchObject({
        workflow_id: workflowId,
        plan: { rows: 900 },
        report: { outcome: "done", counts: { sent: 900 } },
      });

      const other = await client.workflow.start("backfill", {
        taskQueue: "sluice",
        workflowId: "by-hand",
        args: [{ sync: "accounts" }],
      });
      await until(async () => (await other.query("plan")) !== null);
      const left = await project.sluice("backfill", "--follow", "by-hand");
      expect(left.code).toBe(2);
      expect(left.stderr).toContain("--follow by-hand --yes");
      expect((await other.describe()).status.name).toBe("RUNNING");
      await other.executeUpdate("discard");
      expect(await other.result()).toMatchObject({ outcome: "discarded" });
    },
    timeoutMs,
  );

  it(
    "needs nothing but the command, and tells of a small one what it sent",
    async () => {
      const project = await projectOf(40, 100);
      const sent = await project.sluiceWith({ TEMPORAL_ADDRESS: "" }, "backfill", "accounts");
      expect(sent.stderr).toContain("started: workflow backfill-accounts");
      expect(sent.stdout).toContain("sent 40");
      expect(sent.code).toBe(0);
    },
    timeoutMs,
  );
});

describe("sluice pause and resume", () => {
  it(
    "rest and continue, and say what cannot",
    async () => {
      const project = await projectOf(6_000, 0, "\n    chunk: { records: 1000 }");
      const none = await project.sluice("pause", "backfill-accounts");
      expect(none.code).toBe(2);
      expect(none.stderr).toContain('there is no run "backfill-accounts"');

      await project.worker();
      const night = await project.start({ sync: "accounts", limit: 5 });
      const { run_id: nightId } = await night.result();
      const noBackfill = await project.sluice("pause", nightId);
      expect(noBackfill.code).toBe(2);
      expect(noBackfill.stderr).toContain("is not a backfill but a sync");

      // Longer than the commands below take on a slow machine: the backfill must not end before they are done.
      project.sandbox.order({ step: "put", after: 1, do: { delayMs: 15_000 } });
      const handle = await project.temporal.client.workflow.start("backfill", {
        taskQueue: "sluice",
        workflowId,
        args: [{ sync: "accounts", send: "all", mode: "heavyweight", lanes: 1 }],
      });
      await until(async () => (await handle.query("plan")) !== null);
      const early = await project.sluice("pause", workflowId);
      expect(early.code).toBe(2);
      expect(early.stderr).toContain("nothing to pause: nothing is being sent");
      expect(early.stderr.trim().split("\n")).toHaveLength(1);
      await handle.executeUpdate("approve");
      await until(async () => await isCommitting(handle));

      const paused = await project.sluice("pause", workflowId, "--json");
      expect(JSON.parse(paused.stdout)).toMatchObject({ workflow_id: workflowId, paused: true });
      const again = await project.sluice("pause", workflowId);
      expect(again).toMatchObject({ code: 2 });
      expect(again.stderr).toContain("it is paused already");
      const resumed = await project.sluice("resume", workflowId);
      expect(resumed.stdout).toContain("its lanes continue");
      const { run_id: runId } = report.parse(await handle.result());
      const late = await project.sluice("resume", runId);
      expect(late.code).toBe(2);
      expect(late.stderr).toContain("has ended: done");
    },
    timeoutMs,
  );
});

const report = z.looseObject({ run_id: z.string(), outcome: z.literal("done") });
const progress = z.looseObject({ counts: z.looseObject({ committed_chunks: z.int() }) });

async function isCommitting(handle: { query(name: string): Promise<unknown> }): Promise<boolean> {
  return progress.parse(await handle.query("progress")).counts.committed_chunks > 0;
}

describe("wrong input", () => {
  it("is refused before anything is started, with a command line that has no mistake", async () => {
    const project = await projectOf(3, 0);
    const unknown = await project.sluice("backfill", "acounts");
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('did you mean "accounts"');
    const wrong = await project.sluice("backfill", "accounts", "--from", "soon", "--lanes", "99");
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("at --from");
    expect(wrong.stderr).toContain("at --lanes");
    expect(wrong.stderr).toContain("such as: sluice backfill accounts");
    const both = await project.sluice("backfill", "accounts", "--key", "a1", "--limit", "2");
    expect(both.code).toBe(2);
    expect(both.stderr).toContain("does not go with --limit");
    const asJson = await project.sluice("backfill", "acounts", "--json");
    expect(asJson.code).toBe(2);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ error: { code: "ConfigError" } });
    const link = await project.sluice(
      "backfill",
      "accounts",
      "--link",
      "--ui",
      "http://ui.example",
    );
    expect(link.stdout).toContain(
      `http://ui.example/namespaces/${project.temporal.namespace}/workflows/start-`,
    );
    expect(await project.state.runs({ limit: 1 })).toEqual([]);
  });
});
