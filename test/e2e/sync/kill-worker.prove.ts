import { describe, expect, it, onTestFinished } from "vitest";

import type { Receipt } from "../../../src/state/contract/sends/receipts.ts";
import { end, until } from "../../support/process/process.ts";
import { accountsConfig, accountsCsv, Project } from "../../support/project/project.ts";

const rows = 3_000;
const chunk = 1_000;
const runTimeoutMs = 240_000;

/** A project whose run makes three heavyweight chunks, with a worker. */
async function start(): Promise<{ project: Project; kill: () => Promise<void> }> {
  const project = await Project.start(onTestFinished, {
    // A busy machine must not make a live worker look dead: what it sent would count as possibly repeated.
    "sluice.yaml": accountsConfig({
      sync: `chunk: { records: ${chunk} }`,
      advanced: ", heartbeat_timeout: 10s",
    }),
    "accounts.csv": accountsCsv(rows),
  });
  const worker = await project.worker();
  return { project, kill: async () => await end(worker, "SIGKILL") };
}

async function receiptOf(project: Project, number: number): Promise<Receipt | undefined> {
  const [run] = await project.state.runs({ limit: 1 });
  if (run === undefined) return undefined;
  return await project.state.receipt({ runId: run.runId, chunk: number, stage: 1, part: 0 });
}

/** Lets a new worker finish the run, and compares the sandbox's records with the report. */
async function finishAndCheck(
  project: Project,
  handle: { result(): Promise<unknown> },
): Promise<number> {
  await project.worker();
  await handle.result();
  const report = await project.report();
  expect(report).toMatchObject({
    outcome: "done",
    balanced: true,
    counts: { read: rows, sent: rows, unchanged: 0, filtered: 0, rejected: 0 },
  });
  const records = await project.records();
  expect(records.size).toBe(rows);
  expect(records.get("a2999")).toContain('"name":"Company 2999"');
  const applied = (await project.ledger()).filter((entry) => entry.applied);
  const accepted = applied.reduce((sum, { records: count }) => sum + (count ?? 0), 0);
  const repeated = accepted - rows;
  expect(repeated).toBeLessThanOrEqual(report.possibly_repeated);
  // No more than the chunks in flight may ever be repeated.
  expect(report.possibly_repeated).toBeLessThanOrEqual(2 * chunk);
  return report.possibly_repeated;
}

describe("row 44: a worker killed without warning", () => {
  it(
    "during a PUT: a new worker sends the chunk again, and nothing is repeated",
    async () => {
      const { project, kill } = await start();
      project.sandbox.order({ step: "put", after: 1, do: { delayMs: 60_000 } });
      const handle = await project.start({ sync: "accounts" });
      await until(async () => (await receiptOf(project, 1))?.state === "committed");
      await until(async () => (await receiptOf(project, 2))?.state === "sending");
      await until(
        async () =>
          (await project.ledger()).filter(({ step }) => step === "generate-upload-url").length >= 2,
      );
      await kill();
      expect(await finishAndCheck(project, handle)).toBe(0);
    },
    runTimeoutMs,
  );

  it(
    "between confirm and commit: the report counts the chunk as possibly repeated",
    async () => {
      const { project, kill } = await start();
      project.sandbox.order({ step: "confirm-upload", after: 1, do: { noAnswer: true } });
      const handle = await project.start({ sync: "accounts" });
      await until(
        async () => (await project.ledger()).filter((entry) => entry.applied).length >= 2,
      );
      await kill();
      expect(await finishAndCheck(project, handle)).toBe(chunk);
    },
    runTimeoutMs,
  );
});
