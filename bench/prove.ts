// npm run prove [-- --seeds N]: what takes minutes and is promised all the same, with N seeds of chaos in place of a hundred;
// writes its table into docs/measurements.md. Exit code 1 when a bound is broken. Takes about half an hour on two cores, 5 GB of
// the temp folder, and Linux, whose /proc is read.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { z } from "zod";

import { accounts, makeAccounts } from "./accounts.ts";
import { checkedRows, checkStaging, type Checked } from "./bounds.ts";
import { run } from "./child.ts";
import { BenchProject, requestsPerSecond, type WholeRun } from "./project.ts";
import { conditions, publish, say, table } from "./report.ts";
import { measureRounds, pair } from "./rounds.ts";

const workerRssBytesMax = 450e6;
const historyBytesMax = 2e6;
const putBytes = 2_000_000_000;
const putRssMegabytesMax = 150;
const rounds = 3;

const options = { seeds: { type: "string", default: "100" } } as const;
const chaosSeeds = Number(parseArgs({ options }).values.seeds);

const rows = accounts.rows.toLocaleString("en");
const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

/** What a run that sent `sent` rows must say of itself. */
function checkRun(name: string, sent: number, { code, report }: WholeRun): Checked {
  const { read, unchanged, filtered, rejected } = report.counts;
  const isRight =
    code === 0 &&
    report.outcome === "done" &&
    report.balanced &&
    read === accounts.rows &&
    report.counts.sent === sent &&
    unchanged === accounts.rows - sent &&
    filtered + rejected === 0;
  return {
    what: `${name}: its report`,
    bound: `balanced, ${sent.toLocaleString("en")} sent`,
    measured:
      `${report.balanced ? "balanced" : "not balanced"}, ` +
      `${report.counts.sent.toLocaleString("en")} sent, exit ${code}`,
    holds: isRight,
  };
}

function figureOf(name: string, { seconds, report }: WholeRun): Checked {
  const rate = Math.round(accounts.rows / seconds).toLocaleString("en");
  return {
    what: `${name}: from start to exit`,
    bound: "",
    measured: `${seconds.toFixed(1)} s, ${rate} rows/s, ${report.chunks} chunks`,
    holds: true,
  };
}

async function proveRun(folder: string, csv: string): Promise<Checked[]> {
  const project = await BenchProject.open(folder, csv);
  try {
    say(`sluice run accounts: ${rows} rows`);
    const first = await project.run();
    say("holding the sandbox's records against the oracle's");
    const equal = await project.compareRecords();
    say("sluice run accounts, again");
    const second = await project.run();
    const rssBytes = Math.max(first.rssBytes, second.rssBytes);
    const historyBytes = await project.largestHistoryBytes();
    return [
      figureOf("first run", first),
      checkRun("first run", accounts.rows, first),
      {
        what: "records in the sandbox that are the oracle's",
        bound: rows,
        measured: equal.toLocaleString("en"),
        holds: equal === accounts.rows,
      },
      figureOf("second run", second),
      checkRun("second run", 0, second),
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
  } finally {
    await project.close();
  }
}

const putSchema = z.object({ bytes: z.number(), seconds: z.number(), rssMB: z.number() });

async function provePut(folder: string): Promise<Checked[]> {
  say(`PUT of ${megabytes(putBytes)} into the sandbox`);
  const program = fileURLToPath(new URL("sandbox-put.ts", import.meta.url));
  const { code, lastLine } = await run([program, "--bytes", String(putBytes)], folder);
  const { bytes, seconds, rssMB } = putSchema.parse(JSON.parse(lastLine));
  return [
    {
      what: `sandbox: peak RSS at a PUT of ${megabytes(bytes)}`,
      bound: `< ${putRssMegabytesMax} MB`,
      measured: `${rssMB} MB, ${seconds} s`,
      holds: code === 0 && rssMB < putRssMegabytesMax,
    },
  ];
}

async function proveStaging(folder: string, csv: string): Promise<readonly Checked[]> {
  const measured = await measureRounds({ variants: pair, rounds, csv, folder, say });
  const [naive = [], all = []] = pair.map(({ name }) => measured.get(name) ?? []);
  return checkStaging(all, naive);
}

/** A hundred seeds of `npm run chaos`; a red one leaves its folder in `out`. */
async function proveChaos(folder: string): Promise<readonly Checked[]> {
  say(`chaos: ${chaosSeeds} seeds`);
  const program = fileURLToPath(new URL("../test/chaos/main.ts", import.meta.url));
  const { code, lastLine } = await run([program, "--seeds", String(chaosSeeds)], folder);
  return [
    {
      what: "chaos, the real server",
      bound: "nothing lost, no bound broken, every fault at least once",
      measured: lastLine,
      holds: code === 0,
    },
  ];
}

const under = conditions("npm run prove");
const folder = await mkdtemp(join(tmpdir(), "sluice-prove-"));
try {
  say(`making ${rows} rows`);
  const csv = await makeAccounts(folder);
  const checked = [
    ...(await proveStaging(folder, csv)),
    ...(await proveRun(folder, csv)),
    ...(await provePut(folder)),
    ...(await proveChaos(folder)),
  ];
  const text = [
    `${under} ${rows} rows; ${rounds} rounds of staging after a warm-up; \`requests_per_second: ${requestsPerSecond}\`.`,
    table(checkedRows(checked)),
  ].join("\n\n");
  await publish("prove", text);
  console.log(text);
  process.exitCode = checked.every(({ holds }) => holds) ? 0 : 1;
} finally {
  await rm(folder, { recursive: true });
}
