import type { Checked } from "../bench/bounds.ts";
import type { BenchProject } from "../bench/project.ts";
import { say } from "../bench/report.ts";
import type { WholeRun } from "../bench/whole-run.ts";

const workerRssBytesMax = 450e6;
const historyBytesMax = 2e6;

const shown = (count: number): string => count.toLocaleString("en");
const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

/** What a run over `rows` rows that sent `sent` of them must say of itself. */
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

/**
 * Runs a project's sync twice as a user does: the first run sends every row, the second reads them all again
 * and sends none. `csv` holds the same rows for the oracle; `alsoOfFirst` holds the first run against a bound more.
 */
export async function proveRuns(
  project: BenchProject,
  {
    rows,
    csv,
    alsoOfFirst,
  }: {
    readonly rows: number;
    readonly csv: string;
    readonly alsoOfFirst?: (first: WholeRun) => Checked;
  },
): Promise<readonly Checked[]> {
  say(`sluice run accounts: ${shown(rows)} rows`);
  const first = await project.run();
  say("holding the sandbox's records against the oracle's");
  const equal = await project.compareRecords(csv);
  say("sluice run accounts, again");
  const second = await project.run();
  const rssBytes = Math.max(first.rssBytes, second.rssBytes);
  const historyBytes = await project.largestHistoryBytes();
  return [
    figureOf("first run", rows, first),
    checkRun(first, { name: "first run", rows, sent: rows }),
    ...(alsoOfFirst === undefined ? [] : [alsoOfFirst(first)]),
    {
      what: "records in the sandbox that are the oracle's",
      bound: shown(rows),
      measured: shown(equal),
      holds: equal === rows,
    },
    figureOf("second run", rows, second),
    checkRun(second, { name: "second run", rows, sent: 0 }),
    {
      what: "peak RSS of `sluice run`, which holds the worker",
      bound: `<= ${megabytes(workerRssBytesMax)}`,
      measured: [first, second].map((one) => megabytes(one.rssBytes)).join(", "),
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
