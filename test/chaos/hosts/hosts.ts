import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { z } from "zod";

import { reportOfRun } from "../../../src/report/of-run.ts";
import { openPostgresStore } from "../../../src/state/postgres/open.ts";
import { canaries } from "../../support/canaries.ts";
import { about, differs } from "../../support/ledger/words.ts";
import { PostgresCluster, runSql } from "../../support/postgres/postgres-cluster.ts";
import { until } from "../../support/process/process.ts";
import { accountsCsv } from "../../support/project/harness.ts";
import { Poster } from "../../support/webhooks/poster.ts";
import { eventCanary } from "../../support/webhooks/signed-delivery.ts";
import { aborted } from "../chaos.ts";
import { createJournal, type Tell } from "../journal.ts";
import { countApplied } from "../webhooks/applied.ts";
import { TestTemporal } from "../world/temporal.ts";
import { type HostsPlan, hostsPlanOf, type HostInjection, otherFaults } from "./plan.ts";
import { HostsSystem } from "./system.ts";

const [rows, postersOfEach, runsMax] = [10_000, 32, 10_000];

/** Deliveries a second to each receiver: few, so that only the faults slow things down. */
const perSecond = 20;

/** Far longer than the rest takes: after this, something is lost. */
const arriveMsMax = 300_000;

/** Which seeds of several hosts to run, and where to report on them. */
export type HostsChaosInput = {
  readonly seeds: readonly number[];
  /** Kills of receivers, in total. */
  readonly kills: number;
  /** Takes a folder for each seed; the folder of a red seed stays. */
  readonly out: string;
  readonly say: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
};

/** The result of a seed. */
type HostsResult = {
  readonly violations: readonly string[];
  readonly acknowledged: number;
  readonly counts: Poster["counts"];
  readonly repeated: number;
};

const noCounts = { kept: 0, known: 0, refused: 0, unanswered: 0 };
const event = z.object({ record: z.object({ event_id: z.string() }) });
const account = z.object({
  record: z.object({
    account_id: z.string(),
    account_properties: z.object({ name: z.string() }),
  }),
});

/** The parts of a seed of several hosts with one store. */
type Parts = {
  readonly plan: HostsPlan;
  readonly system: HostsSystem;
  readonly postgres: PostgresCluster;
  readonly posters: readonly Poster[];
  readonly tell: Tell;
};

const openRow = z.object({ open: z.coerce.number() });

/** Waits until a session has a transaction open, so that a kill hits it in the middle. */
async function inTransaction({ url }: PostgresCluster): Promise<void> {
  await until(async () => {
    const [row] = await runSql(
      url,
      `select count(*) as open from pg_stat_activity
       where application_name = 'sluice' and xact_start is not null`,
    );
    return openRow.parse(row).open > 0;
  });
}

async function inject(
  { system, postgres }: Parts,
  { fault, host, silentMs }: HostInjection,
): Promise<void> {
  switch (fault) {
    case "cut-from-store":
      await system.cut(host, "store", silentMs);
      break;
    case "cut-from-temporal":
      await system.cut(host, "temporal", silentMs);
      break;
    case "kill-postgres":
      await inTransaction(postgres);
      await postgres.crash();
      break;
    case "kill-receiver":
      await system.kill(`receiver-${host}`);
      break;
    case "kill-worker":
      await system.kill(`worker-${host}`);
      break;
    case "lose-worker":
      await system.kill(`worker-${host}`, { losesDisk: true });
      break;
    case "stop-worker":
      await system.pause(`worker-${host}`);
      break;
  }
}

function acknowledgedBy(posters: readonly Poster[]): number {
  return posters.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
}

/** Lets everything in the plan happen while both receivers get deliveries and a run is under way. */
async function endure(parts: Parts): Promise<void> {
  const { plan, system, posters, tell } = parts;
  const begun = await system.sluice("run", "accounts", "--no-wait");
  if (begun.code !== 0) throw new Error(`the run cannot begin: ${begun.printed}`);
  for (const one of plan.injections) {
    const wanted = acknowledgedBy(posters) + one.acknowledged;
    await until(async () => acknowledgedBy(posters) >= wanted);
    await delay(one.laterMs);
    tell("injects a fault", { ...one, acknowledged: acknowledgedBy(posters) });
    await inject(parts, one);
  }
  await Promise.all(posters.map(async (poster) => await poster.finish()));
  tell("everything is acknowledged", { acknowledged: acknowledgedBy(posters) });
}

/** The final name of each row. */
const nameOf = (row: number): string => (row % 10 === 0 ? `newer ${row}` : `name ${row}`);

/** Sends the remaining changes, and waits, for a limited time, until the service has everything and nothing runs. */
async function arrive({
  system,
  posters,
  tell,
}: Parts): Promise<{ readonly violations: readonly string[]; readonly possiblyRepeated: number }> {
  const state = await openPostgresStore(system.server);
  const giveUpAt = performance.now() + arriveMsMax;
  const isQuiet = async (): Promise<boolean> =>
    (await state.runs({ isOpen: true, limit: 1 })).length === 0;
  try {
    await until(async () => (await isQuiet()) || performance.now() > giveUpAt);
    await system.writeRows(accountsCsv(rows, nameOf));
    const { code, printed } = await system.sluice("run", "accounts");
    const events = acknowledgedBy(posters);
    await until(async () => {
      const hasAll = (await system.records("account_event")).length >= events;
      return (hasAll && (await isQuiet())) || performance.now() > giveUpAt;
    });
    tell("everything has arrived, or never will");
    const runs = await state.runs({ limit: runsMax });
    const reports = await Promise.all(runs.map(async (run) => await reportOfRun(state, run)));
    const wrong = reports.filter(({ outcome, balanced }) => outcome !== "done" || !balanced);
    const violations = [
      ...(code === 0 ? [] : [`the last run ended with ${code}: ${printed}`]),
      ...wrong.map(({ run_id: id, outcome, balanced }) => `run ${id}: ${outcome}, ${balanced}`),
    ];
    const possiblyRepeated = reports.reduce((sum, one) => sum + one.possibly_repeated, 0);
    return { violations, possiblyRepeated };
  } finally {
    await state.close();
  }
}

/** Every acknowledged event is in the service, and every row in its last form, and nothing else. */
async function holdsAll({ system, posters }: Parts): Promise<string[]> {
  const wanted = new Set(
    posters.flatMap(({ acknowledgedAt }, host) =>
      acknowledgedAt.map((_, number) => system.maker(`host${host}`).idOf(number)),
    ),
  );
  const events = (await system.records("account_event")).map(
    (line) => event.parse(line).record.event_id,
  );
  const held = new Set(events);
  const names = new Map(
    (await system.records("account")).map((line) => {
      const { account_id: id, account_properties: properties } = account.parse(line).record;
      return [id, properties.name];
    }),
  );
  const ids = Array.from({ length: rows }, (_, row) => row);
  return [
    ...about("acknowledged and not processed", [...wanted.difference(held)]),
    ...about("processed and never acknowledged", [...held.difference(wanted)]),
    ...about(
      "rows that the service holds otherwise",
      ids.filter((row) => names.get(`a${row}`) !== nameOf(row)).map((row) => `a${row}`),
    ),
    ...differs("accounts in the service", names.size, rows),
  ];
}

async function processesAreRight({ exits, logFiles }: HostsSystem): Promise<string[]> {
  const texts = await Promise.all(logFiles.map(async (file) => await readFile(file, "utf8")));
  return [
    // They waited while the store was away.
    ...exits
      .filter(({ sent }) => sent === undefined)
      .map(({ name, code, signal }) => `${name} ended by itself: ${code ?? signal}`),
    ...[
      ["a customer's data", eventCanary],
      ["the API key", canaries.apiKey],
      ["the store's password", new URL(canaries.databaseUrl).password],
    ].flatMap(([name, canary = ""]) =>
      about(
        `logs with ${name}`,
        logFiles.filter((_, index) => texts[index]?.includes(canary) === true),
      ),
    ),
  ];
}

async function survive(
  folder: string,
  plan: HostsPlan,
  signal: AbortSignal | undefined,
): Promise<HostsResult> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "plan.json"), JSON.stringify(plan, undefined, 2));
  const tell = createJournal(join(folder, "events.jsonl"));
  await using closing = new AsyncDisposableStack();
  const temporal = closing.adopt(
    await TestTemporal.start(folder),
    async (made) => await made.close(),
  );
  const postgres = closing.adopt(
    await PostgresCluster.start(),
    async (made) => await made.remove(),
  );
  const { clockHours } = plan;
  const at = { folder, temporalAddress: temporal.address, queue: `chaos-${process.pid}` };
  const place = { ...at, clockHours, storeUrl: postgres.url };
  const system = await HostsSystem.start(place, accountsCsv(rows));
  closing.defer(async () => await system.close());
  const posters = system.receiverPorts.map((port, host) => {
    const maker = system.maker(`host${host}`);
    const make = (number: number): Buffer => maker.make(number);
    return closing.adopt(
      new Poster({ port, connections: postersOfEach, make, perSecond }),
      (poster) => poster.close(),
    );
  });
  const parts = { plan, system, postgres, posters, tell };
  await Promise.race([endure(parts), aborted(signal)]);
  return await judge(parts);
}

/** Waits for the rest, ends every process, and compares what the service has with what was promised. */
async function judge(parts: Parts): Promise<HostsResult> {
  const { system, posters } = parts;
  const { violations: runs, possiblyRepeated } = await arrive(parts);
  const found = await holdsAll(parts);
  await system.close();
  const acknowledged = acknowledgedBy(posters);
  const repeated = (await countApplied(system.dataFolder)) - acknowledged - rows - rows / 10;
  const counts = countsOf(posters);
  const unsaid =
    repeated > possiblyRepeated
      ? [`${repeated} records sent twice, of which the reports say ${possiblyRepeated}`]
      : [];
  const violations = [...runs, ...found, ...unsaid, ...(await processesAreRight(system))];
  return { violations, acknowledged, counts, repeated };
}

function countsOf(posters: readonly Poster[]): Poster["counts"] {
  const sum = (of: keyof Poster["counts"]): number =>
    posters.reduce((total, { counts }) => total + counts[of], 0);
  return {
    kept: sum("kept"),
    known: sum("known"),
    refused: sum("refused"),
    unanswered: sum("unanswered"),
  };
}

/** A summary of what a seed went through. */
function hostsText({ acknowledged, counts, repeated }: Omit<HostsResult, "violations">): string {
  return [
    `${acknowledged} events acknowledged`,
    `${counts.unanswered} unanswered`,
    `${counts.refused} answered 503`,
    `${repeated} records sent twice`,
  ].join(", ");
}

/**
 * Runs seeds of several hosts, one after the other: three workers and two receivers on one store in Postgres, each with
 * a folder and a clock of its own. @returns the exit code: 1 if one is red, or was not run.
 */
export async function runHostsSeeds(input: HostsChaosInput): Promise<number> {
  const { seeds, kills, out, say, signal } = input;
  const all = { acknowledged: 0, counts: { ...noCounts }, repeated: 0 };
  let green = 0;
  for (const seed of seeds) {
    if (signal?.aborted === true) break;
    const began = performance.now();
    const folder = join(out, `hosts-${seed}`);
    const plan = hostsPlanOf({ seed, kills });
    const result = await survive(folder, plan, signal).catch((error: unknown) => ({
      violations: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
      acknowledged: 0,
      counts: noCounts,
      repeated: 0,
    }));
    all.acknowledged += result.acknowledged;
    all.repeated += result.repeated;
    all.counts.unanswered += result.counts.unanswered;
    all.counts.refused += result.counts.refused;
    const isGreen = result.violations.length === 0;
    const seconds = Math.round((performance.now() - began) / 1_000);
    say(`seed ${seed}: ${isGreen ? "green" : "RED"}, ${seconds} s, ${hostsText(result)}`);
    for (const violation of result.violations) say(`  ${violation}`);
    if (isGreen) {
      green += 1;
      await rm(folder, { recursive: true });
    } else say(`  plan, events and logs: ${folder}`);
  }
  const each = `each ${kills} kills of receivers and ${otherFaults.length} other faults`;
  say(`${seeds.length} seeds, ${seeds.length - green} red; ${each}; ${hostsText(all)}`);
  return green === seeds.length ? 0 : 1;
}
