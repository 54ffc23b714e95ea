import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Checked } from "../bench/bounds.ts";
import { BenchProject } from "../bench/project.ts";
import { say, spread } from "../bench/report.ts";
import { alternate, makeEmpty, runStaging, stagingBySluice } from "../bench/rounds.ts";
import { oracleSha256 } from "../bench/workloads/accounts.ts";
import {
  asSent,
  asTheyAre,
  copyAccounts,
  fromAccounts,
  makePostgresAccounts,
  type PostgresAccounts,
} from "../bench/workloads/postgres-accounts.ts";
import { PostgresCluster } from "../test/support/postgres/postgres-cluster.ts";
import { changeSomeOfTable } from "./one-percent.ts";
import { proveRuns } from "./runs.ts";

/** The aim for reading a table. */
const readRowsPerSecondAim = 200_000;

const readSluice = fileURLToPath(new URL("../bench/workloads/read-sluice.ts", import.meta.url));

/** The figures of one program, from start to exit. */
type Took = { readonly rowsPerSecond: number; readonly cpuSeconds: number };

/** The names of the measured programs, in the order of the rounds. */
const names = {
  copy: "`psql \\copy` of the same query to a file",
  read: "read by the connector",
  all: "read and staged, `send: all`",
  changed: "read and staged, `send: changed`, first load",
} as const;

/** A million rows from Postgres: the rates next to `psql \copy`, in turn, and three whole runs. */
export async function provePostgres(
  folder: string,
  { rows, rounds }: { readonly rows: number; readonly rounds: number },
): Promise<readonly Checked[]> {
  const server = await PostgresCluster.start();
  try {
    const accounts = { url: server.url, rows };
    say(`making a table of ${rows.toLocaleString("en")} rows`);
    await makePostgresAccounts(accounts);
    const csv = join(folder, "postgres.csv");
    await copyAccounts(accounts, { columns: asSent, file: csv });
    const sha256 = await oracleSha256(csv);
    const rates = await measureRates(accounts, { folder, rounds, sha256 });
    const project = await BenchProject.open(
      join(folder, "postgres"),
      { connector: "postgres", url: server.url },
      { from: fromAccounts },
    );
    try {
      const changeSome = changeSomeOfTable(accounts, csv);
      return [...rates, ...(await proveRuns(project, { rows, csv, changeSome }))];
    } finally {
      await project.close();
    }
  } finally {
    await server.remove();
  }
}

async function measureRates(
  accounts: PostgresAccounts,
  how: { readonly folder: string; readonly rounds: number; readonly sha256: string },
): Promise<readonly Checked[]> {
  const { url, rows } = accounts;
  const output = join(how.folder, "output");
  const members = { url, ...fromAccounts };
  const source = { connector: "postgres", members };
  const tookOf = (ended: { seconds: number; cpuSeconds: number }): Took => ({
    rowsPerSecond: rows / ended.seconds,
    cpuSeconds: ended.cpuSeconds,
  });
  const copy = async (): Promise<Took> => {
    await makeEmpty(output);
    return tookOf(
      await copyAccounts(accounts, { columns: asTheyAre, file: join(output, "copy.csv") }),
    );
  };
  const byProgram = async (args: readonly string[], sha256?: string): Promise<Took> => {
    await makeEmpty(output);
    const of = sha256 === undefined ? { records: rows } : { records: rows, sha256 };
    return tookOf(await runStaging(args, how.folder, of));
  };
  const stage = async (send: "all" | "changed"): Promise<Took> =>
    await byProgram([...stagingBySluice({ ...source, send }), "--folder", output], how.sha256);
  const reading = [readSluice, "--connector", "postgres", "--members", JSON.stringify(members)];
  const measured = await alternate(
    new Map([
      [names.copy, copy],
      [names.read, async () => await byProgram(reading)],
      [names.all, async () => await stage("all")],
      [names.changed, async () => await stage("changed")],
    ]),
    how.rounds,
  );
  await rm(output, { recursive: true });
  return checkRates(measured);
}

function checkRates(measured: ReadonlyMap<string, readonly Took[]>): readonly Checked[] {
  const copies = measured.get(names.copy) ?? [];
  return [...measured].map(([name, rounds]) => {
    const rates = spread(rounds.map(({ rowsPerSecond }) => rowsPerSecond));
    const cpu = spread(rounds.map(({ cpuSeconds }) => cpuSeconds)).median;
    const times = spread(
      rounds.map(({ rowsPerSecond }, round) => rowsPerSecond / (copies[round]?.rowsPerSecond ?? 0)),
    );
    const shown = [rates.min, rates.median, rates.max].map((rate) => Math.round(rate / 1_000));
    const besideCopy =
      name === names.copy ? "" : `; ${times.median.toFixed(2)} times \\copy's, pair by pair`;
    const aim = name === names.read ? readRowsPerSecondAim : undefined;
    return {
      what: `${name}, krows/s (min / median / max)`,
      bound: aim === undefined ? "" : `aim: >= ${aim / 1_000}`,
      measured: `${shown.join(" / ")}; ${cpu.toFixed(1)} client CPU s${besideCopy}`,
      holds: aim === undefined || rates.median >= aim,
      isAim: true,
    };
  });
}
