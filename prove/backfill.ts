import type { ChildProcess } from "node:child_process";

import type { Checked } from "../bench/bounds.ts";
import { say } from "../bench/report.ts";
import type { RunReport } from "../src/report/report.ts";
import { PostgresCluster, runSql } from "../test/support/postgres/postgres-cluster.ts";
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
} from "../test/support/project/companies.ts";
import { Project } from "../test/support/project/project.ts";

const historyBytesMax = 4e6;
/** A lane has a quarter of these: enough that something is left to yield after the chunks on their way. */
const chunks = 100;
/** Extra time for each PUT when a worker is killed, so that the kill hits work in progress. */
const putDelayMs = 250;

const nights = { first: "first-night", meanwhile: "night" } as const;

const shown = (count: number): string => count.toLocaleString("en");

/** Backfills a table with one worker, then with two; then kills one of them. */
export async function proveBackfill(rows: number): Promise<readonly Checked[]> {
  const server = await PostgresCluster.start();
  const ends: (() => Promise<void>)[] = [async () => await server.remove()];
  try {
    const { url } = server;
    const companies = { url, rows, query: async (sql: string) => await runSql(url, sql) };
    say(`making a table of ${shown(rows)} rows`);
    await makeCompanies(companies);
    const project = await Project.start((work) => ends.push(work), {
      "sluice.yaml": companiesConfig(companies, {
        chunkRecords: Math.ceil(rows / chunks),
        advanced: "",
      }),
    });
    const workers = [await project.worker()];
    const sent = await sendFirst(project, rows);
    const alone = await sendAgain(project, { rows, by: "one worker process" });
    workers.push(await project.worker());
    const both = await sendAgain(project, { rows, by: "two worker processes" });
    const killed = await killMeanwhile(project, companies, workers);
    return [sent, alone, both, ...killed, await checkHistories(project)];
  } finally {
    // In reverse order: processes end before the servers that they talk to.
    for (const work of ends.toReversed()) await work();
  }
}

function rateOf({ counts, duration_ms: ms }: RunReport): string {
  return `${shown(Math.round(counts.sent / (ms / 1_000)))} rows/s, ${(ms / 1_000).toFixed(1)} s`;
}

/** The first run, which sets the checkpoint that no backfill may move. */
async function sendFirst(project: Project, rows: number): Promise<Checked> {
  say("the first run, one worker process");
  const report = await (await project.start({ sync: "companies" }, nights.first)).result();
  return {
    what: "the first run of the sync, one worker process, for comparison",
    bound: "",
    measured: rateOf(report),
    holds: report.outcome === "done" && report.counts.sent === rows,
  };
}

/** Backfills everything, undisturbed. */
async function sendAgain(
  project: Project,
  { rows, by }: { readonly rows: number; readonly by: string },
): Promise<Checked> {
  say(`a backfill in 4 lanes by ${by}`);
  const report = await (await startBackfill(project, { approve: "auto" })).result();
  if ("template" in report) throw new Error("the backfill was a template");
  return {
    what: `a backfill in 4 lanes by ${by}, its plan included`,
    bound: `balanced, ${shown(rows)} sent`,
    measured: `${shown(report.counts.sent)} sent, ${rateOf(report)}`,
    holds: report.outcome === "done" && report.balanced && report.counts.sent === rows,
  };
}

/** Kills one of two workers in the middle of a backfill, and lets a nightly run overtake it. */
async function killMeanwhile(
  project: Project,
  companies: Companies,
  workers: readonly ChildProcess[],
): Promise<readonly Checked[]> {
  const { rows } = companies;
  const changed = Math.floor(rows / changedOneIn);
  await correctUnseen(companies);
  const stale = await countDifferences(project, companies);
  say("a backfill; one worker killed, and a nightly run meanwhile");
  project.sandbox.order({ step: "put", oneIn: 1, do: { delayMs: putDelayMs } });
  const handle = await startBackfill(project, { approve: "auto" });
  await untilCommitted(handle, Math.ceil(chunks / 3));
  await killOneAtWork(handle, workers);
  await changeSome(companies);
  const night = await (await project.start({ sync: "companies" }, nights.meanwhile)).result();
  const atNight = JSON.stringify(await checkpointOf(project));
  const report = await handle.result();
  if ("template" in report) throw new Error("the backfill was a template");
  const aheadMs = Date.parse(report.ended_at ?? "") - Date.parse(night.ended_at ?? "");
  say("holding the sandbox's records against the table");
  const different = await countDifferences(project, companies);
  const { read, sent } = report.counts;
  const isSame = JSON.stringify(await checkpointOf(project)) === atNight;
  return [
    {
      what: "the same, one of the two killed after a third: its report",
      bound: "done and balanced",
      measured:
        `${report.outcome}, ${shown(read)} read, ${shown(sent)} sent, ` +
        `${shown(report.possibly_repeated)} possibly repeated, ` +
        `${(report.duration_ms / 1_000).toFixed(1)} s`,
      holds: report.outcome === "done" && report.balanced && sent >= rows - changed,
    },
    {
      what: "a nightly run started after the kill: what it sent, and how long before the backfill it ended",
      bound: `${shown(changed)} sent, before it`,
      measured: `${shown(night.counts.sent)} sent, ${(aheadMs / 1_000).toFixed(1)} s before it`,
      holds: night.outcome === "done" && night.counts.sent === changed && aheadMs > 0,
    },
    {
      what: "rows that the sandbox does not hold as the table does: before, and at the end",
      bound: `${shown(rows)}, then 0`,
      measured: `${shown(stale)}, then ${shown(different)}`,
      holds: stale === rows && different === 0,
    },
    {
      what: "the nightly run's checkpoint at the end",
      bound: "byte for byte",
      measured: isSame ? "the same" : "another",
      holds: isSame,
    },
  ];
}

async function checkHistories(project: Project): Promise<Checked> {
  const ids = [backfillId, ...Object.values(nights)];
  const histories = await Promise.all(ids.map(async (id) => await project.histories(id)));
  const bytes = histories.flat().map((text) => Buffer.byteLength(text));
  const largest = Math.max(0, ...bytes);
  return {
    what: "largest Temporal history of any execution, as JSON",
    bound: `< ${historyBytesMax / 1e6} MB`,
    measured: `${(largest / 1e3).toFixed(0)} kB, of ${bytes.length} executions`,
    holds: largest > 0 && largest < historyBytesMax,
  };
}
