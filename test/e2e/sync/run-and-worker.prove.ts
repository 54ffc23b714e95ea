import { join } from "node:path";

import { WorkflowFailedError } from "@temporalio/client";
import { describe, expect, it } from "vitest";

import type { RunReport } from "../../../src/report/report.ts";
import type { Receipt } from "../../../src/state/contract/sends/receipts.ts";
import { end, until } from "../../support/process/process.ts";
import { accountsCsv, syncsConfig, type Project } from "../../support/project/project.ts";
import { sharedProject } from "../../support/project/shared-project.ts";

const shared = sharedProject({
  "sluice.yaml": syncsConfig(
    {
      long: "chunk: { records: 1000 }",
      cancelled: "chunk: { records: 1000 }",
      limited: "",
      late: "mode: lightweight",
      killed: "chunk: { records: 1000 }",
    },
    ", chunks_per_run: 2, heartbeat_timeout: 5s",
  ),
});

/** Starts a run of a sync under the sync's name. */
async function start(sync: string): ReturnType<Project["start"]> {
  return await shared().start({ sync }, sync);
}

async function run(sync: string): Promise<RunReport> {
  return await (await start(sync)).result();
}

/** The receipt of a part in the newest run of a sync. */
async function receiptOf(sync: string, chunk: number): Promise<Receipt | undefined> {
  const { state } = shared();
  const [newest] = await state.runs({ sync, limit: 1 });
  return await state.receipt({ runId: newest?.runId ?? "", chunk, stage: 1, part: 0 });
}

/** The record that a sync made from a row, as JSON. */
async function record(sync: string, row: number): Promise<string | undefined> {
  return (await shared().records()).get(`${sync}-a${row}`);
}

describe("workflow sync", () => {
  it("overwrites once more what a cancelled run had on its way when the service applies it late", async () => {
    const project = shared();
    const put = async (name: string): Promise<void> =>
      await project.write(
        "late.csv",
        accountsCsv(5, (row) => `${name} ${row}`),
      );
    await put("WRONG");
    // Longer than a busy machine takes to cancel this run and to send the next one: it has to arrive after that.
    project.sandbox.order({ step: "upload-json", do: { holdMs: 25_000 } });
    const handle = await start("late");
    await until(async () => (await receiptOf("late", 1))?.state === "sending");
    expect((await project.sluice("cancel", "late")).code).toBe(0);
    await expect(handle.result()).rejects.toThrow(WorkflowFailedError);

    await put("RIGHT");
    const sent = { outcome: "done", counts: { sent: 5 } };
    expect(await run("late")).toMatchObject(sent);
    expect(await record("late", 0)).toContain("RIGHT 0");
    await until(async () => (await record("late", 0))?.includes("WRONG 0"));
    expect(await run("late")).toMatchObject(sent);
    expect(await record("late", 0)).toContain("RIGHT 0");
    expect((await project.sluice("status")).stdout).toContain(
      "an older value may still be applied over 5 records",
    );
  });

  it("continues as new between chunks, with one run, one report and nothing lost", async () => {
    const project = shared();
    await project.write("long.csv", accountsCsv(5_000));
    const report = await run("long");
    expect(report).toMatchObject({ outcome: "done", chunks: 6, counts: { sent: 5_000 } });
    // The sixth chunk found the end of the file: 2 + 2 + 2.
    expect(await project.histories("long", 3)).toHaveLength(3);
    expect(await project.state.runs({ sync: "long", limit: 10 })).toHaveLength(1);
    expect(report.checkpoint).toEqual({ before: 0, after: 6 });
    const ids = [...(await project.records()).keys()];
    expect(ids.filter((id) => id.startsWith("long-"))).toHaveLength(5_000);
  });

  it("stops within five seconds of a cancel, keeps what was accepted and gives the lock back", async () => {
    const project = shared();
    await project.write("cancelled.csv", accountsCsv(3_000));
    project.sandbox.order({ step: "put", after: 1, do: { delayMs: 60_000 } });
    const handle = await start("cancelled");
    await until(async () => (await receiptOf("cancelled", 1))?.state === "committed");
    await until(async () => (await receiptOf("cancelled", 2))?.state === "sending");
    const [stored] = await project.state.runs({ limit: 1 });
    expect((await project.sluice("cancel", stored?.runId ?? "")).code).toBe(0);
    await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
    expect(await project.msToCancel("cancelled")).toBeLessThan(5_000);
    expect(await handle.query("progress")).toMatchObject({
      report: {
        outcome: "cancelled",
        balanced: true,
        counts: { sent: 1_000 },
        checkpoint: { after: 1 },
      },
    });
    // The next run takes the lock and sends the rest, and only the rest.
    expect((await run("cancelled")).counts).toMatchObject({ sent: 2_000, unchanged: 1_000 });
  });

  it("waits out a 429 to the second, and says so meanwhile", async () => {
    const project = shared();
    await project.write("limited.csv", accountsCsv(3));
    const before = (await project.ledger()).length;
    const limited = {
      status: 429,
      headers: { "retry-after": "5" },
      body: { message: "slow down" },
    };
    project.sandbox.order({ step: "upload-json", do: limited });
    const slow = await project.sluice("run", "limited");
    expect(slow.code).toBe(0);
    expect(slow.stderr).toContain("slow down");
    const ledger = (await project.ledger()).slice(before);
    const [first, second] = ledger.filter(({ step }) => step === "upload-json");
    expect(Date.parse(second?.t ?? "") - Date.parse(first?.t ?? "")).toBeGreaterThanOrEqual(5_000);
  });
});

describe("a worker", () => {
  it("is refused a task queue that a worker of another store polls, by the name of the setting", async () => {
    const project = shared();
    const elsewhere = { SLUICE_STATE_DIR: join(project.folder, "another") };
    const { code, stderr } = await project.sluiceWith(elsewhere, "worker");
    expect(code).toBe(2);
    expect(stderr).toContain("temporal.task_queue");
    expect(stderr).not.toContain("    at ");
  });

  it(
    "that is killed between PUT and confirm is followed by one that confirms the same file under " +
      "the same key",
    async () => {
      const project = shared();
      await project.write("killed.csv", accountsCsv(3_000));
      project.sandbox.order({ step: "confirm-upload", after: 1, do: { delayMs: 60_000 } });
      const before = (await project.ledger()).length;
      const handle = await start("killed");
      const receipt = await until(async () => {
        const found = await receiptOf("killed", 2);
        return found?.state === "confirming" && found;
      });
      for (const worker of project.workers) await end(worker, "SIGKILL");
      await project.worker();
      const report = await handle.result();
      const counts = { read: 3_000, sent: 3_000, unchanged: 0, filtered: 0, rejected: 0 };
      expect(report).toMatchObject({ outcome: "done", balanced: true, counts });
      const ledger = (await project.ledger()).slice(before);
      const confirms = ledger.filter(({ step }) => step === "confirm-upload");
      expect(confirms.map(({ file_key: key }) => key)).toContain(receipt.fileKey);
      const applied = confirms.filter((entry) => entry.applied);
      expect(new Set(applied.map(({ jsonl_sha256: hash }) => hash)).size).toBe(applied.length);
      const accepted = applied.reduce((sum, { records }) => sum + (records ?? 0), 0);
      expect(accepted - 3_000).toBeLessThanOrEqual(report.possibly_repeated);
      // No more than the chunks in flight may ever be repeated.
      expect(report.possibly_repeated).toBeLessThanOrEqual(2 * 1_000);
    },
  );
});
