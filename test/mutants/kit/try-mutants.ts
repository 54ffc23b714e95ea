import { mkdtemp, rm, writeFile, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { PostgresCluster } from "../../support/postgres/postgres-cluster.ts";
import { copyProject } from "../copies.ts";
import { compiling } from "./compile.ts";
import { drawMutants, type Draw, type DrawRequest, type KitMutant } from "./draw.ts";
import { runKit, type KitRun } from "./run-kit.ts";

/** The result of one mutant. */
export type TriedMutant = { readonly mutant: KitMutant; readonly run: KitRun };

/** The settings of all runs. */
export type KitTestRuns = DrawRequest & {
  /** The folder of the project. */
  readonly root: string;
  /** How many are tried concurrently; each has a core, a copy of the project and a database server. */
  readonly lanes: number;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
};

/**
 * A half of the kit is cut off after twice the time that it all takes without a mutant, plus this time for one check
 * that hangs.
 */
const slowerMax = 2;
const hangMs = 40_000;
const greenMsMax = 300_000;

/** Checks that depend on a clock or on memory: a busy machine may turn one red, so it must be red twice. */
const looksAtClock: ReadonlySet<string> = new Set(["R13", "R14", "R15", "R16", "F4"]);

/** A copy of the project for one mutant at a time. */
class Lane {
  readonly folder: string;
  readonly #cluster: PostgresCluster;

  private constructor(folder: string, cluster: PostgresCluster) {
    this.folder = folder;
    this.#cluster = cluster;
  }

  static async open(root: string): Promise<Lane> {
    const folder = await mkdtemp(join(tmpdir(), "sluice-kit-mutants-"));
    await copyProject(root, folder);
    return new Lane(folder, await PostgresCluster.start());
  }

  /** Runs the kit on a connector in its current form in the copy. */
  async run(connector: string, msMax: number, signal: AbortSignal): Promise<KitRun> {
    const env = { PG_URL: this.#cluster.url, NODE_OPTIONS: "--max-old-space-size=1500" };
    return await runKit({ folder: this.folder, connector, msMax, signal, env });
  }

  async runMutant(mutant: KitMutant, msMax: number, signal: AbortSignal): Promise<KitRun> {
    const path = join(this.folder, mutant.file);
    const own = await readFile(path, "utf8");
    await writeFile(path, mutant.text);
    try {
      const run = await this.run(mutant.connector, msMax, signal);
      const isSure = run.state !== "red" || !looksAtClock.has(run.check);
      return isSure ? run : await this.run(mutant.connector, msMax, signal);
    } finally {
      await writeFile(path, own);
    }
  }

  async close(): Promise<void> {
    await this.#cluster.remove();
    await rm(this.folder, { recursive: true });
  }
}

/** Does the work for each item, as many concurrently as there are lanes, and waits for all. */
async function inLanes<Item>(
  lanes: readonly Lane[],
  items: readonly Item[],
  work: (lane: Lane, item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const ends = await Promise.allSettled(
    lanes.map(async (lane) => {
      for (const item of left) await work(lane, item);
    }),
  );
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

/**
 * Draws mutants of the connectors in their current form and runs the kit on each; the kit must be green without any.
 * Returns them in the order of the connectors and of the code.
 * @throws {Error} the kit is red without a mutant, or there are too few of them
 */
export async function tryMutants(testRuns: KitTestRuns): Promise<readonly TriedMutant[]> {
  const lanes: Lane[] = [];
  try {
    for (let lane = 0; lane < testRuns.lanes; lane += 1) lanes.push(await Lane.open(testRuns.root));
    const [first] = lanes;
    if (first === undefined) throw new Error("no lane is open");
    const draws: Draw[] = [];
    for (const draw of await drawMutants(first.folder, testRuns)) {
      draws.push({ ...draw, candidates: await compiling(first.folder, draw.candidates) });
    }
    const greens = await runGreen(testRuns, lanes);
    return await runDrawn(testRuns, { lanes, draws, greens });
  } finally {
    await Promise.all(lanes.map(async (lane) => await lane.close()));
  }
}

async function runGreen(
  { connectors, say, signal }: KitTestRuns,
  lanes: readonly Lane[],
): Promise<ReadonlyMap<string, KitRun>> {
  const greens = new Map<string, KitRun>();
  await inLanes(lanes, connectors, async (lane, connector) => {
    const run = await lane.run(connector, greenMsMax, signal);
    const { state, check, seconds } = run;
    say(`${connector} without a mutant: ${state} ${check} after ${seconds.toFixed(1)} s`);
    if (state !== "green") throw new Error(`the kit is ${state} without a mutant: ${connector}`);
    greens.set(connector, run);
  });
  return greens;
}

async function runDrawn(
  { connectors, say, signal }: KitTestRuns,
  on: {
    readonly lanes: readonly Lane[];
    readonly draws: readonly Draw[];
    readonly greens: ReadonlyMap<string, KitRun>;
  },
): Promise<readonly TriedMutant[]> {
  const tried: TriedMutant[] = [];
  const places = on.draws.flatMap(({ connector, count, candidates }) => {
    const left = candidates.values();
    return Array.from({ length: count }, () => ({ connector, left }));
  });
  await inLanes(on.lanes, places, async (lane, { connector, left }) => {
    const msMax = (on.greens.get(connector)?.seconds ?? 0) * 1_000 * slowerMax + hangMs;
    for (const mutant of left) {
      const run = await lane.runMutant(mutant, Math.ceil(msMax), signal);
      const { file, line, change } = mutant;
      const what = `${run.state} ${run.check} after ${run.seconds.toFixed(1)} s`;
      say(`${tried.length + 1} of ${places.length}: ${what}: ${file}:${line} ${change.kind}`);
      // With such a mutant nothing runs at all: another one is drawn.
      if (run.state === "does not load") continue;
      tried.push({ mutant, run });
      return;
    }
    throw new Error(`too few mutants of ${connector} compile`);
  });
  return tried.toSorted(
    (a, b) =>
      connectors.indexOf(a.mutant.connector) - connectors.indexOf(b.mutant.connector) ||
      (a.mutant.file === b.mutant.file
        ? a.mutant.change.start - b.mutant.change.start
        : Number(a.mutant.file > b.mutant.file) - 0.5),
  );
}
