import { join } from "node:path";

import type { WholeRun } from "../whole-run.ts";
import { makeRows } from "../workloads/accounts.ts";
import { writeOracle } from "../workloads/oracle.ts";
import { bestInTurn, ratioOf, type Took } from "./best.ts";
import type { Figures, PartInput } from "./part.ts";
import { bytesOf, checkLines, copyByDuckdb, putByCurl, sendByCurl } from "./peers.ts";
import { ServedProject } from "./served-project.ts";
import { Sink } from "./sink.ts";
import { makeSmallRows, smallRows } from "./small.ts";
import { stageCsv, type Staging } from "./staging.ts";

/** A table as CSV, and the digest of the lines that the service receives for it. */
type Table = { readonly csv: string; readonly lines: string };

/** The cost of DuckDB's COPY, and of `send` bringing its files to a server. */
async function copyThen(
  { duckdb, folder }: PartInput,
  { csv, lines }: Table,
  send: (files: readonly string[]) => Promise<Took>,
): Promise<Took> {
  const copied = await copyByDuckdb({ duckdb, csv, folder: join(folder, "copied") });
  const sent = await send(copied.files);
  await checkLines(copied.files, lines);
  return {
    cpuSeconds: copied.cpuSeconds + sent.cpuSeconds,
    seconds: copied.seconds + sent.seconds,
  };
}

/** The same with a server that discards them. */
async function copyAndPut(input: PartInput, of: Table): Promise<Took> {
  const sink = await Sink.open();
  try {
    return await copyThen(input, of, async (files) => {
      const put = await putByCurl(files, sink.address, input.folder);
      const bytes = await bytesOf(files);
      if (sink.bytes !== bytes) throw new Error(`curl brought ${sink.bytes} of ${bytes} bytes`);
      return put;
    });
  } finally {
    await sink.close();
  }
}

/** Whole runs that do all the work themselves, and the staging that is part of them. */
async function withoutWorker(
  input: PartInput,
  project: ServedProject,
  staging: Staging,
): Promise<Pick<Figures, "runBesideStaging">> {
  const { rows } = staging;
  const programs = {
    staging: async () => await stageCsv(staging, join(input.folder, "staged"), { send: "all" }),
    "run, 295 rows": async () => await project.run("small", { rows: smallRows, sent: smallRows }),
    "run, all": async () => await project.run("everything", { rows, sent: rows }),
  };
  const best = await bestInTurn(programs, { rounds: input.rounds, warmUp: true });
  const [whole, small] = [best("run, all").cpuSeconds, best("run, 295 rows").cpuSeconds];
  const beside = best("staging").cpuSeconds;
  return {
    runBesideStaging: {
      value: (whole - small) / beside,
      from: `${whole.toFixed(2)} CPU s less ${small.toFixed(2)}, beside ${beside.toFixed(2)}`,
    },
  };
}

/** Runs that leave the work to a worker, compared with programs that move the same rows without one. */
async function withWorker(input: PartInput, project: ServedProject, of: Table): Promise<Figures> {
  const { rows, rounds } = input;
  // A run that does part of the work itself is a worker, too.
  let rssBytes = 0;
  const counted = async (running: Promise<WholeRun>): Promise<WholeRun> => {
    const ran = await running;
    rssBytes = Math.max(rssBytes, ran.rssBytes, await project.workerRssBytes());
    return ran;
  };
  const programs = {
    "duckdb and curl": async () => await copyAndPut(input, of),
    "duckdb, curl and the service": async () =>
      await copyThen(
        input,
        of,
        async (files) => await sendByCurl(files, project.serviceAddress, input.folder),
      ),
    "run, all": async () => await counted(project.run("everything", { rows, sent: rows })),
    "run, unchanged": async () => await counted(project.run("changes", { rows, sent: 0 })),
  };
  const best = await bestInTurn(programs, { rounds, warmUp: true });
  const beside = best("duckdb and curl");
  // The service reads each line while it receives a file; a run spends most of its waiting on that.
  const all = ratioOf(best("run, all"), best("duckdb, curl and the service"), "seconds");
  const { value: besideNothing } = ratioOf(best("run, all"), beside, "seconds");
  return {
    unchangedRunBesideDuckdb: ratioOf(best("run, unchanged"), beside, "seconds"),
    allRunBesideDuckdb: {
      value: all.value,
      from: `${all.from}; ${besideNothing.toFixed(2)} beside a PUT to a server that does nothing`,
    },
    workerRss: { value: rssBytes / 1e6, from: "the most of all rounds" },
  };
}

/** `sluice run`, from its start to its exit, with the service and Temporal up. */
export async function measureRuns(input: PartInput): Promise<Figures> {
  const { folder, rows } = input;
  const csv = await makeRows(folder, rows);
  const small = await makeSmallRows(folder);
  const { sha256, lines } = await writeOracle(csv, join(folder, "accounts.jsonl"));
  const project = await ServedProject.open(join(folder, "project"), {
    everything: { csv, send: "all" },
    changes: { csv, send: "changed" },
    small: { csv: small, send: "all" },
  });
  try {
    await project.run("changes", { rows, sent: rows });
    const alone = await withoutWorker(input, project, { csv, rows, sha256 });
    project.startWorker();
    const left = await withWorker(input, project, { csv, lines });
    const equal = await project.compareRecords(csv);
    if (equal !== rows) throw new Error(`the service has ${equal} records of ${rows}`);
    return { ...alone, ...left };
  } finally {
    await project.close();
  }
}
