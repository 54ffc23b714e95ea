// npm run prove
// [-- --only tests,mutants,csv,put,chaos,hosts,postgres,changes,explain,keys,inbox,backfill,backfill-hosts,growth,
// many-rows,soak,sync-tests,web-ui,kit,kit-mutants] [--seeds 100] [--rows 1000000] [--many 10000000] [--keys 10000000]
// [--mutants 200]: proves the promises that take minutes to check. Each part writes its table into a page of
// docs/proof/ (web-ui one into docs/operations.md too), unless --rows, --many, --keys or --mutants made it smaller
// than promised. Exit code 1 if a bound is broken, 2 for an unknown part. All of it takes some four hours on two cores,
// 20 GB of the temp folder, and Linux, whose /proc is read.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { z } from "zod";

import { allHold, checkedRows, checkStaging, type Checked } from "../bench/bounds.ts";
import { run } from "../bench/child.ts";
import { BenchProject, requestsPerSecond } from "../bench/project.ts";
import { proveKit, kitHead } from "../bench/prove-broken-connectors.ts";
import { conditions, publish, say, table, type Page } from "../bench/report.ts";
import { measureRounds, pair } from "../bench/rounds.ts";
import { accounts, makeAccounts } from "../bench/workloads/accounts.ts";
import { soak } from "../test/soak/soak.ts";
import { proveBackfillHosts } from "./backfill-hosts.ts";
import { proveBackfill } from "./backfill.ts";
import { proveChanges } from "./changes.ts";
import { proveExplain } from "./explain.ts";
import { proveGrowth } from "./growth.ts";
import { proveHosts } from "./hosts.ts";
import { proveInbox } from "./inbox.ts";
import { proveKeys } from "./keys.ts";
import { kitMutantsHead, kitMutantsSeed, proveKitMutants } from "./kit-mutants.ts";
import { proveManyRows } from "./many-rows.ts";
import { changeSomeOfCsv } from "./one-percent.ts";
import { provePostgres } from "./postgres.ts";
import { proveRuns } from "./runs.ts";
import { proveSyncTests } from "./sync-tests.ts";
import { proveMutants, proveTests, testsHead } from "./tests.ts";
import { proveWebUi } from "./web-ui.ts";

const putBytes = 2_000_000_000;
const putRssMegabytesMax = 150;
const rounds = 3;
const postgresRounds = 5;
const inboxRounds = 5;

/** The promised sizes; flags with these names change them. */
const promised = {
  seeds: 100,
  rows: 1_000_000,
  many: 10_000_000,
  keys: 10_000_000,
  mutants: 200,
} as const;

/** `npm run soak` takes longer. */
const soakMinutes = 10;

const shown = (count: number): string => count.toLocaleString("en");

async function proveCsv(folder: string): Promise<readonly Checked[]> {
  say(`making ${shown(accounts.rows)} rows`);
  const csv = await makeAccounts(folder);
  const measured = await measureRounds({ variants: pair, rounds, csv, folder });
  const [naive = [], all = []] = pair.map(({ name }) => measured.get(name) ?? []);
  const project = await BenchProject.open(join(folder, "csv"), { connector: "csv", path: csv });
  try {
    const source = { ...accounts, csv, changeSome: changeSomeOfCsv(csv) };
    return [...checkStaging(all, naive), ...(await proveRuns(project, source))];
  } finally {
    await project.close();
  }
}

async function proveSoak(): Promise<readonly Checked[]> {
  const ends: (() => Promise<void>)[] = [];
  try {
    return await soak(soakMinutes, (work) => void ends.push(work));
  } finally {
    for (const work of ends.toReversed()) await work();
  }
}

const putSchema = z.object({ bytes: z.number(), seconds: z.number(), rssMB: z.number() });

async function provePut(folder: string): Promise<readonly Checked[]> {
  say(`PUT of ${putBytes / 1e6} MB into the sandbox`);
  const program = fileURLToPath(new URL("../bench/workloads/sandbox-put.ts", import.meta.url));
  const { code, lastLine } = await run([program, "--bytes", String(putBytes)], folder);
  const { bytes, seconds, rssMB } = putSchema.parse(JSON.parse(lastLine));
  return [
    {
      what: `sandbox: peak RSS at a PUT of ${Math.round(bytes / 1e6)} MB`,
      bound: `< ${putRssMegabytesMax} MB`,
      measured: `${rssMB} MB, ${seconds} s`,
      holds: code === 0 && rssMB < putRssMegabytesMax,
    },
  ];
}

/** Seeds of `npm run chaos`; a failed one leaves its folder in `out`. */
async function proveChaos(folder: string, seeds: number): Promise<readonly Checked[]> {
  say(`chaos: ${seeds} seeds`);
  const program = fileURLToPath(new URL("../test/chaos/main.ts", import.meta.url));
  const { code, lastLine } = await run([program, "--seeds", String(seeds)], folder);
  return [
    {
      what: "chaos, the real server",
      bound: "nothing lost, no bound broken, every fault at least once",
      measured: lastLine,
      holds: code === 0,
    },
  ];
}

/** Seeds for several hosts; each takes minutes, because receivers are killed twenty times in it. */
const hostsSeeds = 3;

/** Numbers of known keys in a store in Postgres, one after the other. */
const hostsKeys = [1_000_000, 10_000_000] as const;

/** One part of the proof. */
type Part = {
  readonly name: string;
  /** Its size, for the table's head. */
  readonly size: string;
  /** False if a flag made it smaller. */
  readonly isWhole: boolean;
  /** Where its table goes. @default "proof/measurements" */
  readonly page?: Page;
  /** The names of its columns. @default those of bounds */
  readonly head?: readonly string[];
  readonly prove: (folder: string) => Promise<readonly Checked[]>;
};

type Sizes = Readonly<Record<keyof typeof promised, number>>;

/** Parts about the tests, which have no size. */
const testParts: readonly Part[] = [
  // First: the tests check whether the table of mutants is as old as the code.
  { name: "mutants", size: "", isWhole: true, page: "proof/tests", prove: proveMutants },
  {
    name: "tests",
    size: "",
    isWhole: true,
    page: "proof/tests",
    head: testsHead,
    prove: proveTests,
  },
];

const paced = `\`requests_per_second: ${requestsPerSecond}\``;

/** Parts with a fixed size. */
const fixedParts: readonly Part[] = [
  {
    name: "csv",
    size: `${shown(accounts.rows)} rows; ${rounds} rounds of staging after a warm-up; ${paced}.`,
    isWhole: true,
    prove: proveCsv,
  },
  { name: "put", size: "", isWhole: true, prove: provePut },
  { name: "growth", size: "", isWhole: true, page: "proof/growth", prove: proveGrowth },
  { name: "soak", size: "", isWhole: true, page: "proof/soak", prove: proveSoak },
  { name: "sync-tests", size: "", isWhole: true, prove: proveSyncTests },
  { name: "web-ui", size: "", isWhole: true, prove: proveWebUi },
  { name: "kit", size: "", isWhole: true, page: "proof/kit", head: kitHead, prove: proveKit },
];

/** Parts for which the number of rows or keys can be chosen. */
function sizedParts({ rows, many, keys }: Pick<Sizes, "keys" | "many" | "rows">): Part[] {
  return [
    {
      name: "postgres",
      size:
        `${shown(rows)} rows; ${postgresRounds} rounds after a warm-up; server and clients share ` +
        `the cores; ${paced}.`,
      isWhole: rows >= promised.rows,
      prove: async (folder) => await provePostgres(folder, { rows, rounds: postgresRounds }),
    },
    {
      name: "many-rows",
      size: `${shown(many)} rows; server, sandbox and worker share the cores; ${paced}.`,
      isWhole: many >= promised.many,
      page: "proof/growth",
      prove: async (folder) => await proveManyRows(folder, many),
    },
    {
      name: "changes",
      size: `${shown(rows)} rows, of which a third changed; ${rounds} rounds.`,
      isWhole: rows >= promised.rows,
      prove: async (folder) => await proveChanges(folder, { rows, rounds }),
    },
    {
      name: "explain",
      size: `${shown(keys)} keys.`,
      isWhole: keys >= promised.keys,
      prove: async () => await proveExplain(keys),
    },
    {
      name: "keys",
      size: `${shown(keys)} keys of 20 characters.`,
      isWhole: keys >= promised.keys,
      prove: async (folder) => await proveKeys(folder, keys),
    },
  ];
}

function partsOf(sizes: Sizes): Part[] {
  const { seeds, rows, mutants } = sizes;
  const several = Math.min(seeds, hostsSeeds);
  const keys = hostsKeys.filter((many) => many <= sizes.keys);
  return [
    ...testParts,
    {
      name: "chaos",
      size: `${seeds} seeds.`,
      isWhole: true,
      prove: async (folder) => await proveChaos(folder, seeds),
    },
    {
      name: "hosts",
      size:
        `${several} seeds; receivers are killed 20 times in each, and Postgres once. ` +
        `${keys.map(shown).join(" and ")} keys, each on a server that syncs.`,
      isWhole: several === hostsSeeds && keys.length === hostsKeys.length,
      prove: async (folder) => await proveHosts(folder, { seeds: several, keys }),
    },
    ...sizedParts(sizes),
    {
      name: "inbox",
      size:
        `64 posters of signed events of 1 KiB; ${inboxRounds} rounds after a warm-up; receiver and ` +
        "posters share the cores.",
      isWhole: true,
      prove: async (folder) => await proveInbox(folder, { rounds: inboxRounds }),
    },
    {
      name: "backfill",
      size: `${shown(rows)} rows; server, sandbox and workers share the cores; ${paced}.`,
      isWhole: rows >= promised.rows,
      prove: async () => await proveBackfill(rows),
    },
    {
      name: "backfill-hosts",
      size: `${shown(rows)} rows; servers and workers share the cores; ${paced}.`,
      isWhole: rows >= promised.rows,
      prove: async () => await proveBackfillHosts(rows),
    },
    ...fixedParts,
    {
      name: "kit-mutants",
      size: `${shown(mutants)} mutants, seed ${kitMutantsSeed}.`,
      isWhole: mutants >= promised.mutants,
      page: "proof/kit",
      head: kitMutantsHead,
      prove: async () => await proveKitMutants({ mutants, isWhole: mutants >= promised.mutants }),
    },
  ];
}

async function prove(part: Part): Promise<boolean> {
  const under = conditions(`npm run prove -- --only ${part.name}`);
  const folder = await mkdtemp(join(tmpdir(), "sluice-prove-"));
  try {
    const checked = await part.prove(folder);
    const text = [`${under} ${part.size}`.trimEnd(), table(checkedRows(checked, part.head))].join(
      "\n\n",
    );
    if (part.isWhole) await publish(`prove ${part.name}`, text, part.page);
    console.log(text);
    return allHold(checked);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    seeds: { type: "string" },
    rows: { type: "string" },
    many: { type: "string" },
    keys: { type: "string" },
    mutants: { type: "string" },
  },
});
const sizeOf = (name: keyof typeof promised): number =>
  z.coerce
    .number()
    .int()
    .positive()
    .parse(values[name] ?? promised[name]);
const parts = partsOf({
  seeds: sizeOf("seeds"),
  rows: sizeOf("rows"),
  many: sizeOf("many"),
  keys: sizeOf("keys"),
  mutants: sizeOf("mutants"),
});
const names = values.only?.split(",") ?? parts.map(({ name }) => name);
const unknown = names.filter((name) => !parts.some((part) => part.name === name));
if (unknown.length > 0) {
  say(`--only: ${unknown.join(",")}: there are ${parts.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
let isProved = true;
for (const part of parts.filter(({ name }) => names.includes(name))) {
  isProved = (await prove(part)) && isProved;
}
// Exits at once: resources that broken connectors leave open would keep this process alive for ever.
process.exit(isProved ? 0 : 1);
