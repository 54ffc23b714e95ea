import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { reportOfRun } from "../../../src/report/of-run.ts";
import type { RunReport } from "../../../src/report/report.ts";
import { openSqliteStore } from "../../../src/state/sqlite/open.ts";
import { until } from "../../support/process/process.ts";
import { aborted } from "../chaos.ts";
import { createJournal } from "../journal.ts";
import { TestTemporal } from "../world/temporal.ts";
import { countApplied, readApplied } from "./applied.ts";
import { type Endured, Ordeal } from "./ordeal.ts";
import { type WebhookPlan, webhookPlanOf, type WebhookPlanInput } from "./plan.ts";
import { makeSmallDisk } from "./small-disk.ts";
import { WebhookSystem } from "./system.ts";
import { judgeWebhooks } from "./verdict.ts";

/** Far longer than the last events take: after this, something is lost. */
const arriveMsMax = 180_000;

const runsMax = 10_000;

/** Which seed of the receiver to run, and where to report on it. */
export type WebhookChaosInput = WebhookPlanInput & {
  /** Takes a folder for the seed; the folder of a red seed stays. */
  readonly out: string;
  readonly say: (text: string) => void;
  /** Ends everything that runs, and begins nothing more. */
  readonly signal?: AbortSignal | undefined;
};

/** The result of a seed. */
export type WebhookResult = {
  readonly violations: readonly string[];
  /** Undefined if the seed did not finish. */
  readonly endured: Endured | undefined;
};

/**
 * Runs a seed of the receiver: kills, a full disk, no Temporal; then compares what the service processed with what was
 * acknowledged.
 */
export async function runWebhookSeed(input: WebhookChaosInput): Promise<WebhookResult> {
  const { seed, kills, awayMs, out, say } = input;
  const began = performance.now();
  const folder = join(out, `webhooks-${seed}`);
  const result = await survive(folder, webhookPlanOf(input), input.signal).catch(
    (error: unknown) => ({
      violations: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
      endured: undefined,
    }),
  );
  const seconds = (performance.now() - began) / 1_000;
  const isRed = result.violations.length > 0;
  say(`seed ${seed}: ${isRed ? "RED" : "green"}, ${seconds.toFixed(1)} s, ${lineOf(result)}`);
  if (!isRed) {
    await rm(folder, { recursive: true });
    return result;
  }
  for (const violation of result.violations) say(`  ${violation}`);
  const again = `--seed ${seed} --kills ${kills} --away ${awayMs / 1_000}`;
  say(`  again: npm run chaos -- --only webhooks ${again}`);
  say(`  plan, events and logs: ${folder}`);
  return result;
}

function shown(count: number): string {
  return count.toLocaleString("en");
}

/** Runs seeds of the receiver, one after the other. @returns the exit code: 1 if one is red, or was not run. */
export async function runWebhookSeeds(
  input: Omit<WebhookChaosInput, "seed"> & { readonly seeds: readonly number[] },
): Promise<number> {
  const { seeds, ...more } = input;
  let green = 0;
  for (const seed of seeds) {
    if (more.signal?.aborted === true) break;
    const { violations } = await runWebhookSeed({ ...more, seed });
    if (violations.length === 0) green += 1;
  }
  return green === seeds.length ? 0 : 1;
}

/** What a seed's posters went through, in one line. */
function lineOf({ endured }: Pick<WebhookResult, "endured">): string {
  if (endured === undefined) return "not brought to its end";
  const { deliveries, counts, acknowledgedAway } = endured;
  return [
    `${shown(deliveries)} acknowledged (${shown(acknowledgedAway)} without Temporal)`,
    `${shown(counts.unanswered)} repeated after a kill, ${shown(counts.known)} of them known`,
    `${shown(counts.refused)} refused by a full disk`,
  ].join("; ");
}

async function survive(
  folder: string,
  plan: WebhookPlan,
  signal: AbortSignal | undefined,
): Promise<WebhookResult> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, ".sluice"), { recursive: true });
  await writeFile(join(folder, "plan.json"), JSON.stringify(plan, undefined, 2));
  const tell = createJournal(join(folder, "events.jsonl"));
  await using closing = new AsyncDisposableStack();
  const temporal = closing.adopt(
    await TestTemporal.start(folder),
    async (started) => await started.close(),
  );
  const disk = closing.adopt(
    await makeSmallDisk(join(folder, ".sluice")),
    async (made) => await made.close(),
  );
  const place = { folder, temporalAddress: temporal.address, queue: `chaos-${process.pid}` };
  const system = await WebhookSystem.start(place);
  closing.defer(async () => await system.close());
  const ordeal = closing.adopt(new Ordeal({ plan, system, temporal, disk, tell }), (begun) =>
    begun.close(),
  );
  const endured = await Promise.race([ordeal.endure(), aborted(signal)]);
  const reports = await arrive(system, endured.deliveries);
  tell("everything has arrived, or never will");
  await system.close();
  const maker = system.maker();
  const ids = Array.from({ length: endured.deliveries }, (_, number) => maker.idOf(number));
  const applied = await readApplied(system.dataFolder);
  const violations = await judgeWebhooks({ plan, endured, ids, applied, reports, system });
  return { violations, endured };
}

/** Waits, for a limited time, until the service has processed this many events and no run is under way. */
async function arrive(system: WebhookSystem, events: number): Promise<readonly RunReport[]> {
  const state = await openSqliteStore(system.stateFolder);
  try {
    const giveUpAt = performance.now() + arriveMsMax;
    await until(async () => {
      const hasAll = (await countApplied(system.dataFolder)) >= events;
      const runs = await state.runs({ limit: runsMax });
      const isQuiet = runs.every(({ outcome }) => outcome !== null);
      return (hasAll && isQuiet) || performance.now() > giveUpAt;
    });
    const runs = await state.runs({ limit: runsMax });
    return await Promise.all(runs.map(async (run) => await reportOfRun(state, run)));
  } finally {
    await state.close();
  }
}
