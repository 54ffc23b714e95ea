import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { describe, expect, it, onTestFinished } from "vitest";

import { end, until } from "../../support/process/process.ts";
import { accountsConfig, accountsCsv, Project } from "../../support/project/project.ts";

const timeoutMs = 240_000;

describe("workers", () => {
  it(
    "stage again what a host took with it that is gone, and lose nothing",
    async () => {
      const rows = 3_000;
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": accountsConfig({
          sync: "chunk: { records: 1000 }",
          advanced: ", heartbeat_timeout: 10s, schedule_to_start: 2s, host_lost_after: 3s",
        }),
        "accounts.csv": accountsCsv(rows),
      });
      const first = await project.worker();
      project.sandbox.order({ step: "put", after: 1, do: { delayMs: 60_000 } });
      const handle = await project.start({ sync: "accounts" });
      await until(async () => (await project.state.runs({ limit: 1 }))[0]?.checkpointVersion === 1);
      await end(first, "SIGKILL");
      // That host's disk: its name and everything it staged.
      await rm(join(project.folder, ".sluice/host-id"));
      await rm(join(project.folder, ".sluice/staging"), { recursive: true });

      await project.worker();
      const report = await handle.result();

      const counts = { read: rows, sent: rows, rejected: 0 };
      expect(report).toMatchObject({ outcome: "done", balanced: true, counts });
      expect((await project.records()).size).toBe(rows);
      expect(report.possibly_repeated).toBe(0);
    },
    timeoutMs,
  );

  it(
    "end at Ctrl-C without waiting for a request that is under way, which the next one makes again",
    async () => {
      const rows = 3;
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": accountsConfig(),
        "accounts.csv": accountsCsv(rows),
      });
      const first = await project.worker();
      // Shorter than the grace after SIGTERM, in which it would be answered.
      project.sandbox.order({ step: "upload-json", do: { delayMs: 25_000 } });
      const handle = await project.start({ sync: "accounts" });
      const part = async (): Promise<string | undefined> => {
        const [run] = await project.state.runs({ limit: 1 });
        const name = { runId: run?.runId ?? "", chunk: 1, stage: 1, part: 0 };
        return (await project.state.receipt(name))?.state;
      };
      await until(async () => (await part()) === "sending");
      await end(first, "SIGINT");
      expect(await part()).toBe("sending");

      await project.worker();
      expect(await handle.result()).toMatchObject({ outcome: "done", counts: { sent: rows } });
      expect((await project.records()).size).toBe(rows);
    },
    timeoutMs,
  );

  it(
    "end what a terminated workflow left as abandoned when they start, and remove its files",
    async () => {
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": accountsConfig({ sync: "chunk: { records: 1000 }" }),
        "accounts.csv": accountsCsv(3_000),
      });
      const first = await project.worker();
      project.sandbox.order({ step: "put", after: 1, do: { delayMs: 60_000 } });
      const handle = await project.start({ sync: "accounts" });
      await until(async () => (await project.state.runs({ limit: 1 }))[0]?.checkpointVersion === 1);
      await end(first, "SIGKILL");
      await handle.terminate();

      await project.worker();

      const report = await project.report();
      expect(report).toMatchObject({ outcome: "abandoned", counts: { sent: 1_000 } });
      expect(report.error?.hint).toContain("run it again");
      const staged = project.stagedRuns();
      expect(await staged).toEqual([]);
      const next = await (await project.start({ sync: "accounts" })).result();
      expect(next.counts).toMatchObject({ sent: 2_000, unchanged: 1_000 });
    },
    timeoutMs,
  );

  it(
    "end when they cannot begin, because another process was stopped with the store's lock, and say so",
    async () => {
      const files = { "sluice.yaml": accountsConfig(), "accounts.csv": accountsCsv(3) };
      const project = await Project.start(onTestFinished, files);
      const stopped = new DatabaseSync(join(project.folder, ".sluice/state.db"));
      onTestFinished(() => stopped.close());
      stopped.exec("begin immediate");
      const { code, stderr } = await project.sluice("worker");
      expect(code).toBe(2);
      expect(stderr).toContain("database is locked");
      expect(stderr).not.toContain("    at ");
      stopped.exec("rollback");
      await project.worker();
    },
    timeoutMs,
  );

  it(
    "finish sixty thousand rows when one is killed and the other stopped for twice the heartbeat timeout",
    async () => {
      const rows = 60_000;
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": accountsConfig({
          sync: "chunk: { records: 5000 }",
          advanced: ", heartbeat_timeout: 5s",
        }),
        "accounts.csv": accountsCsv(rows, (row) => `old ${row}`),
      });
      // All are there before one is stopped: it may hold the store's lock, and then no worker can start.
      const [killed, stopped, successor] = await Promise.all([
        project.worker(),
        project.worker(),
        project.worker(),
      ]);
      const run = async (): Promise<void> =>
        void (await (await project.start({ sync: "accounts" })).result());
      await run();
      await project.write(
        "accounts.csv",
        accountsCsv(rows, (row) => `new ${row}`),
      );
      const before = (await project.ledger()).length;
      const handle = await project.start({ sync: "accounts" });
      await until(async () => (await project.ledger()).length > before + 6);

      stopped.kill("SIGSTOP");
      await end(killed, "SIGKILL");
      // Twice the heartbeat timeout: its activities are taken from it, and it wakes as a zombie.
      await new Promise((resolve) => setTimeout(resolve, 10_000));
      stopped.kill("SIGCONT");

      const report = await handle.result();
      const counts = { read: rows, sent: rows, unchanged: 0, rejected: 0 };
      expect(report).toMatchObject({ outcome: "done", balanced: true, counts });
      const records = [...(await project.records()).values()];
      expect(records).toHaveLength(rows);
      expect(records.filter((record) => !record.includes('"name":"new '))).toEqual([]);
      const applied = (await project.ledger()).slice(before).filter((entry) => entry.applied);
      const accepted = applied.reduce((sum, { records: count }) => sum + (count ?? 0), 0);
      expect(accepted - rows).toBeLessThanOrEqual(report.possibly_repeated);
      expect(report.possibly_repeated).toBeLessThanOrEqual(4 * 5_000);
      expect(successor.exitCode).toBeNull();
      expect(stopped.exitCode).toBeNull();
    },
    timeoutMs,
  );
});
