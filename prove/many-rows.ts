import { join } from "node:path";

import type { Checked } from "../bench/bounds.ts";
import { BenchProject } from "../bench/project.ts";
import { say, spread } from "../bench/report.ts";
import type { WholeRun } from "../bench/whole-run.ts";
import { makeRows } from "../bench/workloads/accounts.ts";
import {
  asSent,
  copyAccounts,
  fromAccounts,
  makePostgresAccounts,
} from "../bench/workloads/postgres-accounts.ts";
import { PostgresCluster } from "../test/support/postgres/postgres-cluster.ts";
import { type ChangeSome, changeSomeOfCsv, changeSomeOfTable } from "./one-percent.ts";
import { proveRuns } from "./runs.ts";

/** The largest share by which memory late in a run may differ from memory early in it. */
const rssShareMax = 0.1;

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

/** The memory of a run must not grow with the rows it has read; its first fifth is the start, and does not count. */
function checkFlat({ rssOverTime }: WholeRun): Checked {
  const steady = rssOverTime.slice(Math.floor(rssOverTime.length / 5));
  const third = Math.floor(steady.length / 3);
  const [early, late] = [steady.slice(0, third), steady.slice(-third)].map(
    (some) => spread(some).median,
  );
  return {
    what: "first run: RSS, the median of the first third and of the last one",
    bound: `± ${rssShareMax * 100} %`,
    measured: `${megabytes(early ?? 0)}, then ${megabytes(late ?? 0)}`,
    holds: third > 0 && Math.abs((late ?? 0) / (early ?? 0) - 1) <= rssShareMax,
  };
}

async function proveOne(
  folder: string,
  source: {
    readonly name: string;
    readonly connection: object;
    readonly from?: object;
    /** The rows for the oracle. */
    readonly csv: string;
    readonly rows: number;
    readonly changeSome: ChangeSome;
  },
): Promise<readonly Checked[]> {
  const { name, connection, from = {}, csv, rows, changeSome } = source;
  const project = await BenchProject.open(join(folder, name), connection, { from });
  try {
    const checked = await proveRuns(project, { rows, csv, changeSome, alsoOfFirst: checkFlat });
    return checked.map((one) => ({ ...one, what: `${name}: ${one.what}` }));
  } finally {
    await project.close();
  }
}

/** `rows` rows from a CSV, then as many from Postgres, each read three times. */
export async function proveManyRows(folder: string, rows: number): Promise<readonly Checked[]> {
  say(`making ${rows.toLocaleString("en")} rows`);
  const csv = await makeRows(folder, rows);
  const fromCsv = await proveOne(folder, {
    name: "CSV",
    connection: { connector: "csv", path: csv },
    csv,
    rows,
    changeSome: changeSomeOfCsv(csv),
  });
  const server = await PostgresCluster.start();
  try {
    const accounts = { url: server.url, rows };
    say("making a table of as many");
    await makePostgresAccounts(accounts);
    const copied = join(folder, "postgres.csv");
    await copyAccounts(accounts, { columns: asSent, file: copied });
    const connection = { connector: "postgres", url: server.url };
    const changeSome = changeSomeOfTable(accounts, copied);
    const source = { connection, from: fromAccounts, csv: copied, rows, changeSome };
    return [...fromCsv, ...(await proveOne(folder, { name: "Postgres", ...source }))];
  } finally {
    await server.remove();
  }
}
