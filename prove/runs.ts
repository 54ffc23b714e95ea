import { stat } from "node:fs/promises";
import { join } from "node:path";

import type { Checked } from "../bench/bounds.ts";
import type { BenchProject } from "../bench/project.ts";
import { say } from "../bench/report.ts";
import type { WholeRun } from "../bench/whole-run.ts";
import type { ChangeSome } from "./one-percent.ts";

const workerRssBytesMax = 450e6;
const historyBytesMax = 2e6;

const shown = (count: number): string => count.toLocaleString("en");
const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

/** Checks the report of a run that read `rows` rows and sent `sent` of them. */
function checkRun(
  { code, report }: WholeRun,
  { name, rows, sent }: { readonly name: string; readonly rows: number; readonly sent: number },
): Checked {
  const { read, unchanged, filtered, rejected } = report.counts;
  const isRight =
    code === 0 &&
    report.outcome === "done" &&
    report.balanced &&
    read === rows &&
    report.counts.sent === sent &&
    unchanged === rows - sent &&
    filtered + rejected === 0;
  return {
    what: `${name}: its report`,
    bound: `balanced, ${shown(rows)} read, ${shown(sent)} sent`,
    measured:
      `${report.balanced ? "balanced" : "not balanced"}, ${shown(read)} read, ` +
      `${shown(report.counts.sent)} sent, exit ${code}`,
    holds: isRight,
  };
}

function figureOf(name: string, rows: number, run: WholeRun): Checked {
  const rate = shown(Math.round(rows / run.seconds));
  return {
    what: `${name}: from start to exit`,
    bound: "",
    measured: `${run.seconds.toFixed(1)} s, ${rate} rows/s, ${run.report.chunks} chunks`,
    holds: true,
  };
}

/** How many records of the sandbox equal the oracle's, of which there are as many as the source has rows. */
async function checkRecords(
  project: BenchProject,
  { after, csv, rows }: { readonly after: string; readonly csv: string; readonly rows: number },
): Promise<Checked> {
  say("holding the sandbox's records against the oracle's");
  const equal = await project.compareRecords(csv);
  return {
    what: `${after}: records in the sandbox that are the oracle's`,
    bound: shown(rows),
    measured: shown(equal),
    holds: equal === rows,
  };
}

/** The store's file, as it is between two runs. */
async function checkStore({ folder }: BenchProject): Promise<Checked> {
  const { size } = await stat(join(folder, ".sluice", "state.db"));
  return { what: "size of the store", bound: "", measured: megabytes(size), holds: true };
}

/**
 * Runs a project's sync three times as a user does: the first run sends every row, the second reads them all again
 * and sends none, the third sends those that `changeSome` has changed. `csv` holds the source's rows for the oracle;
 * `alsoOfFirst` checks the first run against one more bound.
 */
export async function proveRuns(
  project: BenchProject,
  {
    rows,
    csv,
    changeSome,
    alsoOfFirst,
  }: {
    readonly rows: number;
    readonly csv: string;
    readonly changeSome: ChangeSome;
    readonly alsoOfFirst?: (first: WholeRun) => Checked;
  },
): Promise<readonly Checked[]> {
  say(`sluice run accounts: ${shown(rows)} rows`);
  const first = await project.run();
  const store = await checkStore(project);
  const afterFirst = await checkRecords(project, { after: "first run", csv, rows });
  say("sluice run accounts, again");
  const second = await project.run();
  const afterSecond = await checkRecords(project, { after: "second run", csv, rows });
  const changed = await changeSome();
  say(`sluice run accounts: ${shown(changed)} changed`);
  const third = await project.run();
  const afterThird = await checkRecords(project, { after: "1 % changed", csv, rows });
  const runs = [first, second, third];
  const rssBytes = Math.max(...runs.map((one) => one.rssBytes));
  const historyBytes = await project.largestHistoryBytes();
  return [
    figureOf("first run", rows, first),
    checkRun(first, { name: "first run", rows, sent: rows }),
    ...(alsoOfFirst === undefined ? [] : [alsoOfFirst(first)]),
    afterFirst,
    store,
    figureOf("second run", rows, second),
    checkRun(second, { name: "second run", rows, sent: 0 }),
    afterSecond,
    figureOf("1 % changed", rows, third),
    checkRun(third, { name: "1 % changed", rows, sent: changed }),
    afterThird,
    {
      what: "peak RSS of `sluice run`, which holds the worker",
      bound: `<= ${megabytes(workerRssBytesMax)}`,
      measured: runs.map((one) => megabytes(one.rssBytes)).join(", "),
      holds: rssBytes > 0 && rssBytes <= workerRssBytesMax,
    },
    {
      what: "largest Temporal history",
      bound: `<= ${megabytes(historyBytesMax)}`,
      measured: `${(historyBytes / 1e3).toFixed(0)} kB`,
      holds: historyBytes > 0 && historyBytes <= historyBytesMax,
    },
  ];
}
