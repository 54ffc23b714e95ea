import { readdir } from "node:fs/promises";
import { join } from "node:path";

import { pullChecks, pushChecks } from "../../../testing/checks/index.ts";
import { runTests } from "../run-tests.ts";

/** Checks that take seconds, and run last; F5 repeats those that it needs. */
const costly: ReadonlySet<string> = new Set(["R14", "F4", "F5"]);

const ids = [...new Set([...pullChecks, ...pushChecks].map(({ id }) => id))];
const rounds = [ids.filter((id) => !costly.has(id)), ids.filter((id) => costly.has(id))];

/** The kit's result for a connector. */
export type KitRun = {
  readonly state: "green" | "red" | "died" | "hung" | "does not load";
  /** The red check, such as "R4". */
  readonly check: string;
  /** Checks that were green before it. */
  readonly greens: number;
  readonly seconds: number;
};

/** Where and how the kit runs. */
export type KitRequest = {
  /** A copy of the project. */
  readonly folder: string;
  readonly connector: string;
  /** The time limit for each half of the checks. */
  readonly msMax: number;
  readonly signal: AbortSignal;
  readonly env: Readonly<Record<string, string>>;
};

/** Runs the kit's tests of one connector, the cheap checks of all its harnesses first, up to the first red one. */
export async function runKit(ask: KitRequest): Promise<KitRun> {
  const { folder, connector, ...how } = ask;
  const files = await testFilesOf(folder, connector);
  let [greens, seconds] = [0, 0];
  for (const round of rounds) {
    const titles = round.map((id) => ` ${id} `);
    const run = await runTests({ ...how, folder, files, titles, endsAtRed: true });
    seconds += run.seconds;
    if (run.isHung) return { state: "hung", check: "", greens, seconds };
    const red = run.ends.find(({ isGreen }) => !isGreen);
    greens += run.ends.filter(({ isGreen }) => isGreen).length;
    if (red !== undefined) {
      return { state: "red", check: red.title.split(" ", 1).join(), greens, seconds };
    }
    // In the second round all checks of a connector may be "not shown".
    if (greens === 0) return { state: "does not load", check: "", greens, seconds };
    // The process of the tests ended before they did, because it was out of memory.
    if (run.isFailed) return { state: "died", check: "", greens, seconds };
  }
  return { state: "green", check: "", greens, seconds };
}

/** `csv.prove.ts`, `csv-ways.prove.ts`: the kit on the harnesses of this connector only. */
async function testFilesOf(folder: string, connector: string): Promise<readonly string[]> {
  const named = new RegExp(`^${connector}(?:-[a-z-]+)?\\.(?:test|prove)\\.ts$`);
  const names = (await readdir(join(folder, "test/kit"))).filter((name) => named.test(name));
  if (names.length === 0) throw new Error(`test/kit has no test of ${connector}`);
  return names
    .toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))
    .map((name) => `test/kit/${name}`);
}
