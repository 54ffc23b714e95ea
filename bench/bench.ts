// npm run bench: CSV to staged chunks, beside the naive way, round by round; writes its table into docs/measurements.md.
// Exit code 1 when a bound is broken. Takes about five minutes on two cores.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { accounts, makeAccounts } from "./accounts.ts";
import { checkedRows, checkStaging } from "./bounds.ts";
import { conditions, publish, say, spread, table } from "./report.ts";
import { type Measured, measureRounds, pair, variants } from "./rounds.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });

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
  process.exitCode = checked.every(({ holds }) => holds) ? 0 : 1;
} finally {
  await rm(folder, { recursive: true });
}
