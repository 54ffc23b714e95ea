import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type Family, type Plan, planOf } from "./plan.ts";
import { Seed, type Shared } from "./seed.ts";
import { judge, type SeedResult } from "./verdict.ts";
import { Databases } from "./world/databases.ts";
import { TestTemporal } from "./world/temporal.ts";

/** Two cores can run two seeds. */
const atOnce = 2;

/** Which seeds to run, and where to report on them. */
export type ChaosInput = {
  readonly seeds: readonly number[];
  readonly rows: number;
  readonly only?: Family | undefined;
  /** Takes a folder for each seed; the folder of a red seed stays. */
  readonly out: string;
  readonly say: (text: string) => void;
  /** Ends everything that runs, and begins nothing more. */
  readonly signal?: AbortSignal | undefined;
};

const nothing = {
  rows: 0,
  lost: 0,
  repeated: 0,
  calls: 0,
  injected: [],
  faults: [],
  givenUp: undefined,
  moved: undefined,
  hadWrongClock: false,
  hadFullDisk: false,
};

async function runSeed(of: {
  readonly folder: string;
  readonly plan: Plan;
  readonly shared: Shared;
  readonly signal: AbortSignal | undefined;
}): Promise<SeedResult> {
  const began = performance.now();
  const { folder, plan, shared, signal } = of;
  const isOwn = plan.injections.some(({ fault }) => fault === "kill-temporal");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  let result: Omit<SeedResult, "seconds">;
  let { temporal } = shared;
  let seed: Seed | undefined;
  try {
    if (isOwn) temporal = await TestTemporal.start(folder);
    seed = await Seed.open(folder, plan, { ...shared, temporal });
    // Whatever still continues then fails as soon as the processes are gone.
    const after = await Promise.race([seed.run(), aborted(signal)]);
    result = await judge(seed, { plan, after, folder });
  } catch (error) {
    const violation = error instanceof Error ? (error.stack ?? error.message) : String(error);
    result = { seed: plan.seed, ...nothing, violations: [violation] };
  } finally {
    await seed?.close();
    if (temporal !== shared.temporal) await temporal.close();
  }
  return { ...result, seconds: (performance.now() - began) / 1_000 };
}

/** Never resolves. @throws the signal's reason, once it aborts. */
export async function aborted(signal: AbortSignal | undefined): Promise<never> {
  return await new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** The command that repeats a seed. */
function commandOf(seed: number, { rows, only }: ChaosInput): string {
  const more = only === undefined ? "" : ` --only ${only}`;
  return `npm run chaos -- --seed ${seed} --rows ${rows}${more}`;
}

/** Runs seeds, two at a time, and reports the result of each. */
export async function runSeeds(input: ChaosInput): Promise<SeedResult[]> {
  const home = await mkdtemp(join(tmpdir(), "sluice-chaos-"));
  const databases = new Databases();
  const shared = { temporal: await TestTemporal.start(home), databases };
  const waiting = [...input.seeds];
  const results: SeedResult[] = [];
  const work = async (): Promise<void> => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      if (input.signal?.aborted === true) return;
      const folder = join(input.out, String(seed));
      const plan = planOf({ seed, rows: input.rows, only: input.only });
      const result = await runSeed({ folder, plan, shared, signal: input.signal });
      results.push(result);
      input.say(lineOf(result));
      if (result.violations.length === 0) await rm(folder, { recursive: true });
      else {
        await writeFile(join(folder, "verdict.json"), JSON.stringify(result, undefined, 2));
        for (const violation of result.violations) input.say(`  ${violation}`);
        input.say(`  again: ${commandOf(seed, input)}`);
        input.say(`  plan, events and logs: ${folder}`);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, work));
  } finally {
    await Promise.all([shared.temporal.close(), databases.close()]);
    await rm(home, { recursive: true });
  }
  return results;
}

function lineOf({ seed, violations, seconds, injected, faults, repeated }: SeedResult): string {
  const ofProcesses = injected.map(({ fault }) => fault).join(", ") || "no process fault";
  return [
    `seed ${seed}: ${violations.length === 0 ? "green" : "RED"}`,
    `${seconds.toFixed(1)} s`,
    ofProcesses,
    `${faults.length} request faults`,
    `${repeated} repeated`,
  ].join(", ");
}
