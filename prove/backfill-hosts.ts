import { join } from "node:path";

import { z } from "zod";

import type { Checked } from "../bench/bounds.ts";
import { say } from "../bench/report.ts";
import { PostgresCluster, runSql } from "../test/support/postgres/postgres-cluster.ts";
import { end } from "../test/support/process/process.ts";
import { holdToShare } from "../test/support/process/processor-share.ts";
import {
  companiesConfig,
  makeCompanies,
  startBackfill,
} from "../test/support/project/companies.ts";
import { Project } from "../test/support/project/project.ts";

/** The share of a core that each host gets: all hosts and the servers together must fit on two cores. */
const shareOfCore = 0.15;

/** A lane has a quarter of these. */
const chunks = 40;

/** Numbers of hosts, and their least speed-up over one host. */
const wanted = [
  { hosts: 1, timesMin: 1 },
  { hosts: 2, timesMin: 1.8 },
  { hosts: 4, timesMin: 3.2 },
] as const;

const stagedRow = z.object({ chunks: z.coerce.number().int() });

const shown = (count: number): string => count.toLocaleString("en");

type Measured = {
  readonly perSecond: number;
  readonly staged: readonly number[];
  readonly isRight: boolean;
};

/** The same backfill by one, two and four hosts, each with a state folder of its own and the same small share. */
export async function proveBackfillHosts(rows: number): Promise<readonly Checked[]> {
  const measured: Measured[] = [];
  for (const { hosts } of wanted) measured.push(await backfillBy(hosts, rows));
  return wanted.map((one, index) => check({ ...one, rows }, measured[index], measured[0]));
}

/**
 * Backfills everything, with servers of its own: clean-up of an earlier backfill, and rows that were already sent,
 * would cost more.
 */
async function backfillBy(hosts: number, rows: number): Promise<Measured> {
  say(`a backfill of ${shown(rows)} rows in 4 lanes by ${hosts} of ${shareOfCore} cores`);
  const server = await PostgresCluster.start();
  const ends: (() => Promise<void>)[] = [async () => await server.remove()];
  try {
    const { url } = server;
    await makeCompanies({ url, rows, query: async (sql) => await runSql(url, sql) });
    const yaml = companiesConfig({ url }, { chunkRecords: Math.ceil(rows / chunks), advanced: "" });
    const project = await Project.start((work) => ends.push(work), {
      "sluice.yaml": `${yaml}store: { url: "\${STORE_URL}", schema: sluice, project: p }\n`,
    });
    Object.assign(project.env, { STORE_URL: url });
    const migrated = await project.sluice("store", "migrate");
    if (migrated.code !== 0) throw new Error(`store migrate: ${migrated.stderr}`);
    return await backfillIn(project, hosts, { rows, url });
  } finally {
    for (const work of ends.toReversed()) await work();
  }
}

/** About the first two of the twenty days in which the rows changed. */
const warmUpTo = (): string => new Date(Date.now() - 18 * 24 * 3_600_000).toISOString();

/**
 * The same with hosts that have worked before, like any host that did not start a moment ago: compiling their code
 * is not part of a backfill. From then on each has its share.
 */
async function backfillIn(
  project: Project,
  hosts: number,
  { rows, url }: { readonly rows: number; readonly url: string },
): Promise<Measured> {
  const folders = Array.from({ length: hosts }, (_, host) => join(project.folder, String(host)));
  const workers = await Promise.all(
    folders.map(async (folder) => await project.worker({ SLUICE_STATE_DIR: folder })),
  );
  const warmUp = await startBackfill(project, { approve: "auto", to: warmUpTo() });
  await warmUp.result();
  const over = new AbortController();
  const share = { share: shareOfCore, signal: over.signal };
  const held = workers.map(async (worker) => await holdToShare(worker, share));
  const handle = await startBackfill(project, { approve: "auto" });
  const report = await handle.result();
  over.abort();
  await Promise.all(held);
  await Promise.all(workers.map(async (worker) => await end(worker, "SIGTERM")));
  if ("template" in report) throw new Error("the backfill was a template");
  const staged = await runSql(
    url,
    `select count(*) as chunks from sluice.stagings where run_id = '${report.run_id}' and state = 'committed'
      group by host order by host`,
  );
  return {
    perSecond: report.counts.sent / (report.duration_ms / 1_000),
    staged: z
      .array(stagedRow)
      .parse(staged)
      .map((row) => row.chunks),
    isRight: report.outcome === "done" && report.balanced && report.counts.sent === rows,
  };
}

function check(
  { hosts, timesMin, rows }: (typeof wanted)[number] & { readonly rows: number },
  found: Measured | undefined,
  alone: Measured | undefined,
): Checked {
  const { perSecond, staged, isRight } = found ?? { perSecond: 0, staged: [], isRight: false };
  const times = perSecond / (alone?.perSecond ?? 0);
  const name = hosts === 1 ? "one host" : `${hosts} hosts`;
  return {
    what: `${shown(rows)} rows in 4 lanes by ${name} of ${shareOfCore} cores that worked before, the plan included`,
    bound: hosts === 1 ? "balanced, all sent" : `>= ${timesMin} times one host's rate`,
    measured:
      `${shown(Math.round(perSecond))} rows/s, ${times.toFixed(2)} times; chunks staged by each: ` +
      `${staged.join(", ")}${isRight ? "" : "; not all was sent"}`,
    holds: isRight && staged.length === hosts && times >= timesMin,
  };
}
