import type { ChildProcess } from "node:child_process";

import { WorkflowFailedError } from "@temporalio/client";
import { describe, expect, it, onTestFinished } from "vitest";

import { ownPostgres } from "../../support/postgres/postgres.ts";
import { until } from "../../support/process/process.ts";
import {
  backfillId,
  changedOneIn,
  changeSome,
  checkpointOf,
  companiesConfig,
  correctUnseen,
  countDifferences,
  killOneAtWork,
  makeCompanies,
  startBackfill,
  untilCommitted,
  type Companies,
} from "../../support/project/companies.ts";
import { Project } from "../../support/project/project.ts";

const timeoutMs = 240_000;
const rows = 20_000;
const changedRows = rows / changedOneIn;
const historyBytesMax = 4_000_000;

/** A table that was sent once, and then corrected without new stamps on its rows. */
async function corrected(): Promise<{
  project: Project;
  companies: Companies;
  workers: readonly ChildProcess[];
}> {
  const companies = { ...(await ownPostgres()), rows };
  await makeCompanies(companies);
  const project = await Project.start(onTestFinished, {
    "sluice.yaml": companiesConfig(companies, {
      chunkRecords: 1_000,
      // So few chunks that the backfill also continues as new.
      advanced: "retry_initial: 500ms, heartbeat_timeout: 5s, chunks_per_run: 12",
    }),
  });
  const workers = [await project.worker(), await project.worker()];
  const first = await project.start({ sync: "companies" }, "first-night");
  expect(await first.result()).toMatchObject({ outcome: "done", counts: { sent: rows } });
  await correctUnseen(companies);
  expect(await countDifferences(project, companies)).toBe(rows);
  return { project, companies, workers };
}

/** Starts the backfill, and approves its plan. */
async function approved(project: Project): ReturnType<typeof startBackfill> {
  const handle = await startBackfill(project);
  const plan = await until(async () => (await handle.query<object | null>("plan")) ?? undefined);
  const lanes = Array.from({ length: 4 }, () => rows / 4);
  expect(plan).toMatchObject({ rows, is_counted: true, lanes });
  await handle.executeUpdate("approve");
  return handle;
}

describe("a backfill of a Postgres table by two workers", () => {
  it(
    "loses nothing when one is killed, and what a nightly run brought meanwhile is at the end",
    async () => {
      const { project, companies, workers } = await corrected();
      // From here on each file takes a while, so that a kill can hit the middle.
      project.sandbox.order({ step: "put", oneIn: 1, do: { delayMs: 500 } });
      const handle = await approved(project);
      await untilCommitted(handle, 4);
      await killOneAtWork(handle, workers);

      // Newer values than those that the backfill has sent, or may still send from a staged file.
      await changeSome(companies);
      const { version: before } = await checkpointOf(project);
      const night = await project.start({ sync: "companies" }, "night");
      const nightly = await night.result();
      expect(nightly).toMatchObject({
        outcome: "done",
        counts: { read: changedRows, sent: changedRows },
        checkpoint: { before, after: before + 1 },
      });
      const atNight = await checkpointOf(project);

      const report = await handle.result();
      expect(report).toMatchObject({
        outcome: "done",
        balanced: true,
        counts: { unchanged: 0, filtered: 0, rejected: 0 },
      });
      if ("template" in report) throw new Error("the backfill was a template");
      expect(Date.parse(nightly.ended_at ?? "")).toBeLessThan(Date.parse(report.ended_at ?? ""));
      const { read, sent } = report.counts;
      expect(sent).toBe(read);
      // The nightly run sends a row that changed before its lane came to it.
      expect(read).toBeGreaterThanOrEqual(rows - changedRows);
      expect(read).toBeLessThan(rows);

      expect(await countDifferences(project, companies)).toBe(0);
      expect(JSON.stringify(await checkpointOf(project))).toBe(JSON.stringify(atNight));
      for (const id of [backfillId, "night"]) {
        for (const text of await project.histories(id))
          expect(text.length).toBeLessThan(historyBytesMax);
      }
    },
    timeoutMs,
  );

  it(
    "moves the checkpoint of a sync that never ran, when asked to, and the nightly run continues from there",
    async () => {
      const companies = { ...(await ownPostgres()), rows: 200 };
      await makeCompanies(companies);
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": companiesConfig(companies, {
          chunkRecords: 20,
          advanced: "retry_initial: 500ms",
        }),
      });
      await project.worker();
      // Every row changed at least an hour ago.
      const to = new Date().toISOString();
      const asked = { from: undefined, to, approve: "auto", advance_checkpoint: true };
      const handle = await startBackfill(project, asked);
      expect(await handle.result()).toMatchObject({
        outcome: "done",
        counts: { read: 200, sent: 200 },
        checkpoint: { before: 0, after: 1 },
      });
      const { memo } = await handle.describe();
      expect(memo).toMatchObject({ sluice_sync: "companies" });
      const { runId, version } = await checkpointOf(project);
      expect([runId, version]).toEqual([memo?.["sluice_run"], 1]);
      const night = await project.start({ sync: "companies" }, "night");
      expect(await night.result()).toMatchObject({ counts: { sent: 0 } });

      const again = await startBackfill(project, asked);
      await expect(again.result()).rejects.toThrow(WorkflowFailedError);
    },
    timeoutMs,
  );
});
