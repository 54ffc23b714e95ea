import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type Build, buildCommit, copyBuilt } from "./builds.ts";
import { type Interval, judgePairs, medianInterval, type PairsVerdict, ratiosOf } from "./pairs.ts";
import { conditions, publish, say, spread, table } from "./report.ts";
import { makeRows } from "./workloads/accounts.ts";
import { measureOnce, type Workload, type WorkloadInput } from "./workloads/workloads.ts";

/** What to compare, and how. */
export type AgainstInput = {
  /** The commit to compare the current sources with, as `commitOf` names it. */
  readonly commit: string;
  readonly pairs: number;
  readonly rows: number;
  /** The largest allowed ratio of processor seconds, now to before. */
  readonly bound: number;
  readonly workloads: readonly Workload[];
  /** Whether it is everything that is promised, so that its table is kept. */
  readonly isWhole: boolean;
  /** The repository. */
  readonly root: string;
};

/**
 * Processor seconds of one step, pair by pair: for the commit, for the current build, and for the commit once
 * more.
 */
type Series = {
  readonly step: string;
  readonly before: number[];
  readonly now: number[];
  readonly again: number[];
};

/**
 * Runs a workload on both builds by turns after a warm-up that does not count: before, now, before in one
 * round, the reverse in the next, so that anything that grows steadily on the machine over time
 * cancels out.
 */
async function measurePairs(
  workload: Workload,
  { before, now, pairs }: { readonly before: Build; readonly now: Build; readonly pairs: number },
  input: WorkloadInput,
): Promise<readonly Series[]> {
  const all = workload.steps.map((step): Series => ({ step, before: [], now: [], again: [] }));
  const turns = [
    ["before", before],
    ["now", now],
    ["again", before],
  ] as const;
  for (let pair = 0; pair <= pairs; pair += 1) {
    for (const [turn, build] of pair % 2 === 0 ? turns : turns.toReversed()) {
      const figures = await measureOnce(workload, build, input);
      if (pair > 0) figures.forEach((seconds, step) => all[step]?.[turn].push(seconds));
      const which = pair === 0 ? "warm-up" : `pair ${pair} of ${pairs}`;
      const shown = figures.map((seconds) => seconds.toFixed(2)).join(" and ");
      say(`${workload.name}, ${which}: ${build.name}: ${shown} CPU s`);
    }
  }
  return all;
}

function shownInterval({ low, median, high }: Interval): string {
  return `${median.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
}

/** A line of the table, and its verdict. */
function judged(
  { step, before, now, again }: Series,
  bound: number,
): { readonly cells: readonly string[]; readonly verdict: PairsVerdict } {
  const ratio = medianInterval(ratiosOf(now, before));
  const verdict = judgePairs(ratio, bound);
  const seconds = [before, now].map((series) => spread(series).median.toFixed(2));
  const twice = shownInterval(medianInterval(ratiosOf(again, before)));
  const shown = verdict === "broken" ? "**broken**" : verdict;
  return {
    cells: [step, ...seconds, shownInterval(ratio), twice, `<= ${bound}`, shown],
    verdict,
  };
}

/**
 * Compares the processor seconds of the current build with a commit's, pair by pair, and the commit with itself.
 * @returns the exit code: 1 when a bound is broken
 */
export async function benchAgainst(asked: AgainstInput): Promise<number> {
  const { root, commit, pairs, rows, bound } = asked;
  const under = conditions("npm run bench -- --against");
  const folder = await mkdtemp(join(tmpdir(), "sluice-against-"));
  try {
    const now = await copyBuilt(root, join(folder, "now"));
    const before = await buildCommit({ repository: root, commit }, join(folder, "before"));
    say(`making ${rows} rows`);
    const csv = await makeRows(folder, rows);
    const lines: ReturnType<typeof judged>[] = [];
    for (const workload of asked.workloads) {
      const input = { csv, rows, folder: join(folder, "work") };
      const measured = await measurePairs(workload, { before, now, pairs }, input);
      lines.push(...measured.map((series) => judged(series, bound)));
    }
    const head = ["", "CPU s before", "now", "ratio", "before, twice", "bound", ""];
    const text = [
      `${under} Against ${before.name}: ${rows.toLocaleString("en")} rows, ${pairs} pairs after a warm-up.`,
      table([head, ...lines.map(({ cells }) => cells)]),
    ].join("\n\n");
    if (asked.isWhole) await publish("against", text);
    process.stdout.write(`${text}\n`);
    return lines.some(({ verdict }) => verdict === "broken") ? 1 : 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
