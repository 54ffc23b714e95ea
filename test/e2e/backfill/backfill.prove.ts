import type { WorkflowHandle } from "@temporalio/client";
import { WorkflowFailedError } from "@temporalio/client";
import { describe, expect, it, onTestFinished } from "vitest";

import type { backfill } from "../../../workflows/backfill/backfill.ts";
import type { Progress } from "../../../workflows/sync/progress.ts";
import { end, until } from "../../support/process/process.ts";
import { backfillId, planOf, startBackfill } from "../../support/project/backfills.ts";
import { accountsConfig, accountsCsv, Project } from "../../support/project/project.ts";

const timeoutMs = 240_000;

async function progressOf(handle: WorkflowHandle<typeof backfill>): Promise<Progress> {
  return await handle.query<Progress>("progress");
}

const manyRows = 12_000;

/** Expects that an interrupted backfill still sent every row once. */
async function expectAll(project: Project, report: unknown): Promise<void> {
  const counts = { read: manyRows, sent: manyRows };
  expect(report).toMatchObject({ outcome: "done", balanced: true, counts });
  expect((await project.records()).size).toBe(manyRows);
}

describe("workflow backfill", () => {
  it(
    "continues by itself when it is small, and a discarded one sends nothing",
    async () => {
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": accountsConfig({ sync: "approve: { auto_up_to: 100 }" }),
        "accounts.csv": accountsCsv(100),
      });
      await project.worker();
      const small = await startBackfill(project, { sync: "accounts" });
      expect(await small.result()).toMatchObject({ outcome: "done", counts: { sent: 100 } });

      await project.write("accounts.csv", accountsCsv(101));
      const discarded = await startBackfill(project, { sync: "accounts" });
      await planOf(discarded);
      await discarded.executeUpdate("discard");
      expect(await discarded.result()).toMatchObject({ outcome: "discarded" });
      expect((await project.records()).size).toBe(100);
    },
    timeoutMs,
  );

  it(
    "plans again and waits again when the source moved while it waited",
    async () => {
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": accountsConfig({ sync: "approve: { auto_up_to: 0 }" }),
        "accounts.csv": accountsCsv(500),
      });
      await project.worker();
      const handle = await startBackfill(project, { sync: "accounts" });
      expect((await planOf(handle)).rows).toBe(500);
      await project.write("accounts.csv", accountsCsv(900));
      await handle.executeUpdate("approve");
      await until(async () => (await planOf(handle)).rows === 900);
      expect(await project.records()).toEqual(new Map());
      await handle.executeUpdate("approve");
      expect(await handle.result()).toMatchObject({ outcome: "done", counts: { sent: 900 } });
    },
    timeoutMs,
  );

  it(
    "yields its lock to a nightly run across continue-as-new, and newer values are at the end",
    async () => {
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": accountsConfig({
          sync: "chunk: { records: 1000 }\n    approve: { auto_up_to: 0 }",
          advanced: ", chunks_per_run: 3",
        }),
        "accounts.csv": accountsCsv(manyRows),
      });
      await project.worker();
      project.sandbox.order({ step: "put", after: 2, do: { delayMs: 3_000 } });
      const handle = await startBackfill(project, { sync: "accounts", lanes: 2, send: "all" });
      await planOf(handle);
      await handle.executeUpdate("approve");
      await until(async () => (await progressOf(handle)).counts.committed_chunks > 0);
      const night = await project.start({ sync: "accounts" }, "night");
      expect(await night.result()).toMatchObject({ outcome: "done", kind: "sync" });
      const { target = "" } = (await project.state.runs({ limit: 1 }))[0] ?? {};
      const name = { target, sync: "accounts" };
      const { version } = await project.state.checkpoint(name);
      expect(version).toBeGreaterThan(0);

      const report = await handle.result();
      expect(report).toMatchObject({
        outcome: "done",
        balanced: true,
        mode: "heavyweight",
        counts: { read: manyRows },
      });
      expect((await project.records()).size).toBe(manyRows);
      expect((await project.state.checkpoint(name)).version).toBe(version);
    },
    timeoutMs,
  );

  it(
    "pauses at the next chunk, through continue-as-new and the change of its worker, and continues when it is resumed",
    async () => {
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": accountsConfig({
          sync: "chunk: { records: 1000 }",
          advanced: ", chunks_per_run: 2",
        }),
        "accounts.csv": accountsCsv(manyRows),
      });
      const old = await project.worker();
      project.sandbox.order({ step: "put", after: 2, do: { delayMs: 3_000 } });
      const input = { sync: "accounts", lanes: 2, approve: "auto", send: "all" };
      const handle = await startBackfill(project, input);
      const { runId: first } = await handle.describe();
      await until(async () => (await progressOf(handle)).counts.committed_chunks > 0);
      await handle.executeUpdate("pause");
      await until(async () => (await project.lockHolder()) === undefined);
      const { counts, waiting } = await progressOf(handle);
      // A lane that continued to the end of its chunk after the pause reports nothing of its own.
      expect(waiting).toMatch(/^paused/);
      expect(counts.committed_chunks).toBeLessThan(12);
      expect((await project.records()).size).toBe(counts.sent);
      expect((await handle.describe()).runId).not.toBe(first);

      await end(old, "SIGTERM");
      await project.worker();
      expect(await progressOf(handle)).toMatchObject({ counts, waiting });
      await handle.executeUpdate("resume");
      await expectAll(project, await handle.result());
    },
    timeoutMs,
  );

  it(
    "stops within five seconds of a cancel and gives the lock back",
    async () => {
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": accountsConfig({ sync: "chunk: { records: 1000 }" }),
        "accounts.csv": accountsCsv(manyRows),
      });
      await project.worker();
      project.sandbox.order({ step: "put", after: 1, do: { delayMs: 60_000 } });
      const handle = await startBackfill(project, {
        sync: "accounts",
        approve: "auto",
        send: "all",
      });
      await until(async () => (await progressOf(handle)).counts.committed_chunks > 0);
      await handle.cancel();
      await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
      expect(await project.msToCancel(backfillId)).toBeLessThan(5_000);
      const [run] = await project.state.runs({ limit: 1 });
      expect(run).toMatchObject({ kind: "backfill", outcome: "cancelled" });
      const next = await project.start({ sync: "accounts" });
      expect(await next.result()).toMatchObject({ outcome: "done" });
    },
    timeoutMs,
  );

  it(
    "begins a lane again where it failed, and pauses without credits until it is resumed",
    async () => {
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": accountsConfig({ sync: "chunk: { records: 1000 }" }),
        "accounts.csv": accountsCsv(manyRows),
      });
      await project.worker();
      const broken = { status: 400, body: { message: "no" } };
      const spent = { status: 429, body: { message: "credits exhausted" } };
      project.sandbox.order({ step: "generate-upload-url", after: 3, do: broken });
      project.sandbox.order({ step: "generate-upload-url", after: 3, do: spent });
      const handle = await startBackfill(project, {
        sync: "accounts",
        lanes: 2,
        approve: "auto",
        send: "all",
      });
      await until(async () => (await progressOf(handle)).waiting?.startsWith("paused"));
      await until(async () => (await project.lockHolder()) === undefined);
      const { committed_chunks: before } = (await progressOf(handle)).counts;
      expect(before).toBeGreaterThan(0);
      // The limit is still blocked: it pauses again, and does not end.
      await handle.executeUpdate("resume");
      await until(async () => (await progressOf(handle)).waiting?.startsWith("paused"));
      expect((await project.sluice("rate-limit", "reset")).code).toBe(0);
      await handle.executeUpdate("resume");
      await expectAll(project, await handle.result());
    },
    timeoutMs,
  );

  it(
    "refuses to send versions of records again that a file holds one after the other",
    async () => {
      const path = "path: ./accounts.csv";
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": accountsConfig().replace(path, `${path}, append_only: true`),
        "accounts.csv": accountsCsv(3),
      });
      await project.worker();
      const failed = await (await startBackfill(project, { sync: "accounts" })).result().then(
        () => "",
        (error: unknown) =>
          error instanceof WorkflowFailedError ? (error.cause?.message ?? "") : "",
      );
      expect(failed).toContain("an older one could overwrite a newer one");
      expect(failed).toContain("`sluice state reset accounts`");
      expect(await project.records()).toEqual(new Map());
    },
    timeoutMs,
  );

  it(
    "fails at once with every problem of its input and one to paste",
    async () => {
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": accountsConfig(),
        "accounts.csv": accountsCsv(3),
      });
      await project.worker();
      const handle = await startBackfill(project, { sync: "acounts", lane: 4 });
      const failed = await handle.result().then(
        () => "",
        (error: unknown) =>
          error instanceof WorkflowFailedError ? (error.cause?.message ?? "") : "",
      );
      expect(failed).toContain('did you mean "accounts"');
      expect(failed).toContain('"lanes"');
      expect(failed).toContain('{"sync":"accounts"');
      expect(await project.state.runs({ limit: 10 })).toEqual([]);
      expect(
        await (await startBackfill(project, { sync: "accounts", template: true })).result(),
      ).toEqual({
        template: true,
      });
    },
    timeoutMs,
  );
});
