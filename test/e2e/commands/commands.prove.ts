import { spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { isTemplate } from "../../../src/local/templates.ts";
import { end, endSharedServers, until, watch } from "../../support/process/process.ts";
import { accountsConfig, accountsCsv, bin, Project } from "../../support/project/project.ts";

const timeoutMs = 240_000;

describe("the commands around a run", () => {
  it(
    "show what there is, and refuse what is wrong",
    async () => {
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": accountsConfig(),
        "accounts.csv": `${accountsCsv(3)}a3,=cmd|calc,X,1\n`,
      });
      await project.worker();
      const sluice = project.sluice.bind(project);
      expect((await sluice("check")).stdout).toContain("ok    service: ping and key");
      expect((await sluice("doctor")).stdout).toContain("ok    state store");
      expect((await sluice("schema")).stdout).toContain('"$schema"');
      expect((await sluice("validate", "--json")).stdout).toContain('"syncs":["accounts"]');
      const preview = await sluice("preview", "accounts", "-n", "4");
      expect([preview.code, preview.stdout.trim().split("\n").length]).toEqual([3, 3]);

      const started = await sluice("run", "accounts", "--no-wait", "--json");
      const [, workflowId = ""] = /"workflow_id":"([^"]+)"/.exec(started.stdout) ?? [];
      await project.temporal.client.workflow.getHandle(workflowId).result();

      const nowhere = await sluice("rejects", "export", "--out", join(project.folder, "no", "x"));
      expect([nowhere.code, nowhere.stderr.includes(" at ")]).toEqual([2, false]);
      expect((await sluice("rejects", "export", "--format", "jsonl")).stdout).toContain(
        '"place":"./accounts.csv:5"',
      );

      expect((await sluice("state", "show")).stdout).toContain("accounts: version 1");
      const wrong = await sluice("state", "set", "accounts", '{"x":1}', "--reason", "test");
      expect(wrong.code).toBe(2);
      expect((await sluice("runs", "prune", "--older-than", "soon")).code).toBe(2);
      expect((await sluice("cancel", "nope")).code).toBe(2);
    },
    timeoutMs,
  );

  it(
    "cancel what no worker has begun yet, and nothing of another task queue",
    async () => {
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": accountsConfig(),
        "accounts.csv": accountsCsv(3),
      });
      const { workflow } = project.temporal.client;
      const args = [{ sync: "accounts" }];
      const other = { taskQueue: "other", workflowId: "backfill-other", args };
      const stranger = await workflow.start("backfill", other);
      expect(await project.sluice("cancel", "backfill-other")).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('there is no run "backfill-other"') as unknown,
      });
      expect((await stranger.describe()).status.name).toBe("RUNNING");

      const own = { taskQueue: "sluice", workflowId: "backfill-accounts", args };
      const handle = await workflow.start("backfill", own);
      const asked = await project.sluice("cancel", "backfill-accounts");
      expect([asked.code, asked.stdout]).toEqual([0, "asked backfill-accounts to stop\n"]);
      expect(asked.stderr).toContain("no worker of this project polls sluice");
      const worker = await project.worker();
      await expect(handle.result()).rejects.toThrow("cancelled");

      const sent = await project.sluice("backfill", "accounts", "--yes");
      expect(sent.code).toBe(0);
      expect(await project.sluice("cancel", "backfill-accounts")).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("has ended: done") as unknown,
      });
      await until(async () => {
        const newest = await workflow.getHandle("backfill-accounts").describe();
        return isTemplate(newest) && newest.status.name === "COMPLETED";
      });
      await end(worker, "SIGTERM");
      // Another backfill with that id, whose run nobody has opened yet.
      const again = await workflow.start("backfill", own);
      expect((await project.sluice("cancel", "backfill-accounts")).code).toBe(0);
      await project.worker();
      await expect(again.result()).rejects.toThrow("cancelled");
    },
    timeoutMs,
  );

  it(
    "cancel nothing of another project, at another Temporal, or whose workflow was terminated",
    async () => {
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": accountsConfig(),
        "accounts.csv": accountsCsv(3),
      });
      const worker = await project.worker();
      project.sandbox.order({ step: "upload-json", do: { delayMs: 60_000 } });
      const handle = await project.start({ sync: "accounts" });
      const run = await until(async () => (await project.state.runs({ limit: 1 }))[0]);
      // On the same server and task queue, where its own worker is the only one.
      const files = { "sluice.yaml": accountsConfig(), "accounts.csv": accountsCsv(3) };
      const stranger = await Project.start(onTestFinished, files);
      const there = { TEMPORAL_ADDRESS: project.env["TEMPORAL_ADDRESS"] };
      expect(await stranger.sluiceWith(there, "cancel", handle.workflowId)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("there is no run") as unknown,
      });
      // Without the variable, another server answers, or one that is started.
      const elsewhere = await project.sluiceWith(
        { TEMPORAL_ADDRESS: undefined },
        "cancel",
        run.runId,
      );
      expect([elsewhere.code, elsewhere.stderr.includes("continues at another Temporal")]).toEqual([
        2,
        true,
      ]);
      await end(worker, "SIGKILL");
      await handle.terminate();
      expect(await project.sluice("cancel", run.runId)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("was ended from outside") as unknown,
      });
    },
    timeoutMs,
  );

  it(
    "leave nothing running when Ctrl-C comes while a run still starts its servers",
    async () => {
      const yaml = accountsConfig()
        .replace("${SLUICE_BASE_URL}", "sandbox")
        .replace("${SLUICE_LEGACY_BASE_URL}", "sandbox");
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": yaml,
        "accounts.csv": accountsCsv(3),
      });
      const { PATH, HOME } = project.env;
      const child = spawn(process.execPath, [bin, "run", "accounts", "--verbose"], {
        cwd: project.folder,
        env: { PATH, HOME },
        stdio: ["ignore", "pipe", "pipe"],
      });
      onTestFinished(async () => {
        await end(child, "SIGKILL");
        await endSharedServers(project.folder);
      });
      const { printed, ended } = watch(child);
      await until(async () => printed().stderr.includes("started the sandbox"));
      child.kill("SIGINT");
      expect((await ended).code).toBe(130);
      const records = (await readdir(join(project.folder, ".sluice"))).filter((name) =>
        /^(?:temporal|sandbox)\.json$/.test(name),
      );
      expect(records).toEqual([]);
    },
    timeoutMs,
  );
});
