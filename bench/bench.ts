// npm run bench: CSV to staged chunks, beside the naive way, round by round; writes its table into
// docs/proof/measurements.md. npm run bench -- --against <commit> [--pairs 20 --rows 100000 --bound 1.05
// --only run,stage-all,stage-changed]: processor seconds of the program as it is now beside those of a
// commit. Exit code 1 when a bound is broken, 2 when it was asked wrongly.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { benchAgainst } from "./against.ts";
import { checkedRows, checkStaging } from "./bounds.ts";
import { commitOf } from "./builds.ts";
import { pairsMin } from "./pairs.ts";
import { conditions, publish, say, spread, table } from "./report.ts";
import { type Measured, measureRounds, pair, variants } from "./rounds.ts";
import { accounts, makeAccounts } from "./workloads/accounts.ts";
import { workloads } from "./workloads/workloads.ts";

const defaults = { pairs: "20", rows: "100000", bound: "1.05" };

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    against: { type: "string" },
    pairs: { type: "string", default: defaults.pairs },
    rows: { type: "string", default: defaults.rows },
    bound: { type: "string", default: defaults.bound },
    only: { type: "string" },
  },
});

const integer = (value: number): string => Math.round(value).toLocaleString("en");

function figures(name: string, rounds: readonly Measured[]): string[] {
  const of = (read: (round: Measured) => number): ReturnType<typeof spread> =>
    spread(rounds.map(read));
  const rate = of(({ rowsPerSecond }) => rowsPerSecond / 1_000);
  const cpu = of(({ cpuSeconds }) => cpuSeconds).median;
  const delays = rounds.flatMap(({ loopP99Ms }) => loopP99Ms ?? []);
  const longest = rounds.flatMap(({ loopMaxMs }) => loopMaxMs ?? []);
  return [
    name,
    [rate.min, rate.median, rate.max].map(integer).join(" / "),
    cpu.toFixed(1),
    integer(accounts.rows / cpu / 1_000),
    integer(of(({ rssBytes }) => rssBytes / 1e6).max),
    delays.length === 0
      ? ""
      : `${spread(delays).median.toFixed(1)} / ${integer(Math.max(...longest))}`,
  ];
}

/** Compares with a commit. @returns the exit code */
async function compare(asked: string): Promise<number> {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const commit = await commitOf(root, asked);
  const [pairs, rows, bound] = [Number(values.pairs), Number(values.rows), Number(values.bound)];
  const names = workloads.map(({ name }) => name);
  const only = values.only?.split(",") ?? names;
  const unknown = only.filter((name) => !names.includes(name));
  const problems = [
    commit === undefined ? `--against: there is no commit "${asked}" in this repository` : "",
    Number.isInteger(pairs) && pairs >= pairsMin ? "" : `--pairs: a number from ${pairsMin}`,
    Number.isInteger(rows) && rows > 0 ? "" : "--rows: a number from 1",
    bound > 0 ? "" : "--bound: a ratio, such as 1.05",
    unknown.length === 0 ? "" : `--only: ${unknown.join(",")}: there are ${names.join(", ")}`,
  ].filter((problem) => problem !== "");
  for (const problem of problems) say(problem);
  if (commit === undefined || problems.length > 0) return 2;
  const isWhole =
    values.only === undefined &&
    [values.pairs, values.rows].join() === [defaults.pairs, defaults.rows].join();
  const chosen = workloads.filter(({ name }) => only.includes(name));
  return await benchAgainst({ root, commit, pairs, rows, bound, workloads: chosen, isWhole });
}

/** Measures staging beside the naive way. @returns the exit code */
async function beside(): Promise<number> {
  const under = conditions("npm run bench");
  const folder = await mkdtemp(join(tmpdir(), "sluice-bench-"));
  try {
    say(`making ${integer(accounts.rows)} rows`);
    const csv = await makeAccounts(folder);
    const measured = await measureRounds({
      variants,
      csv,
      folder,
      rounds: Number(values.rounds),
    });
    const [naive = [], all = []] = pair.map(({ name }) => measured.get(name) ?? []);
    const checked = checkStaging(all, naive);
    const text = [
      `${under} ${integer(accounts.rows)} rows, ${values.rounds} rounds after a warm-up.`,
      table([
        [
          "",
          "krows/s, min / median / max",
          "CPU s",
          "krows/CPU s",
          "peak RSS MB",
          "loop delay ms, p99 / max",
        ],
        ...[...measured].map(([name, rounds]) => figures(name, rounds)),
      ]),
      table(checkedRows(checked)),
    ].join("\n\n");
    await publish("bench", text);
    console.log(text);
    return checked.every(({ holds }) => holds) ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true });
  }
}

process.exitCode = values.against === undefined ? await beside() : await compare(values.against);
