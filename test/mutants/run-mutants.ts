import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { copyProject, plant } from "./copies.ts";
import type { Mutant } from "./mutant.ts";
import { runTests } from "./run-tests.ts";
import { codeOf } from "./tried-code.ts";
import { endsOf, judge, type FileRun, type Verdict } from "./verdict.ts";

/** The result of one mutant; `why` is the error of its test, or the reason why it could not be planted. */
export type Tried = {
  readonly mutant: Mutant;
  /** `codeOf` it. */
  readonly code: string;
  readonly verdict: Verdict;
  readonly why: string;
  /** The time of its test, with the mutant. */
  readonly seconds: number;
};

/** The common settings of the runs of all mutants. */
export type Trials = {
  /** The folder of the project. */
  readonly root: string;
  readonly say: (line: string) => void;
  /** Called for each mutant once it is tried, in any order. */
  readonly tried: (tried: Tried) => void;
  readonly signal: AbortSignal;
};

/** Test files that run concurrently: each has a core. */
const lanes = 2;

/** A test is cut off after twice its time without the mutant, plus vitest's own limit for a waiting test. */
const slowerMax = 2;
const waitMsMax = 75_000;

/** The maximum time of a test that no mutant slows down. */
const greenMsMax = 300_000;

/** Does the work for each item, `lanes` at a time, and returns the results in the order of the items. */
async function inLanes<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  // Waits for each lane, even if another fails: afterwards its processes and its folder are gone.
  const ends = await Promise.allSettled(Array.from({ length: lanes }, lane));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return results;
}

/** Runs each named test file once, without any mutant. */
async function runGreen(
  { say, signal }: Trials,
  folder: string,
  mutants: readonly Mutant[],
): Promise<ReadonlyMap<string, FileRun>> {
  const byFile = Map.groupBy(mutants, ({ test }) => test.file);
  const runs = await inLanes([...byFile], async ([file, ofFile]) => {
    const titles = ofFile.map(({ test }) => test.title);
    const asked = { folder, files: [file], titles, msMax: greenMsMax, signal };
    const run = await runTests({ ...asked, mustAssert: true });
    if (run.isHung) say(`cut off without a mutant after ${greenMsMax / 1_000} s: ${file}`);
    const red = run.ends.filter(({ isGreen }) => !isGreen);
    for (const { title, why } of red) say(`red without a mutant: ${file}, ${title}: ${why}`);
    return [file, run] as const;
  });
  return new Map(runs);
}

/** Plants one mutant in a copy of its own and runs its test there. */
async function tryMutant(
  { signal }: Trials,
  { mutant, pristine, green }: { mutant: Mutant; pristine: string; green: FileRun },
): Promise<Tried> {
  const { test } = mutant;
  const code = await codeOf(pristine, mutant);
  const folder = await mkdtemp(join(tmpdir(), "sluice-mutant-"));
  try {
    await copyProject(pristine, folder);
    const problem = await plant(folder, mutant).then(
      () => undefined,
      (error: unknown) => String(error),
    );
    if (problem !== undefined) {
      return { mutant, code, verdict: "does not apply", why: problem, seconds: 0 };
    }
    const msMax = Math.ceil(green.seconds * 1_000 * slowerMax) + waitMsMax;
    const asked = { folder, files: [test.file], titles: [test.title], msMax, signal };
    const run = await runTests(asked);
    const why = endsOf(run, test).find(({ isGreen }) => !isGreen)?.why ?? "";
    return { mutant, code, verdict: judge(test, green, run), why, seconds: run.seconds };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Tries every mutant on copies of the project in its current form: the named tests first without any, and then each
 * mutant with its own.
 */
export async function runMutants(trials: Trials, mutants: readonly Mutant[]): Promise<void> {
  const { root, say } = trials;
  const pristine = await mkdtemp(join(tmpdir(), "sluice-mutants-"));
  try {
    await copyProject(root, pristine);
    say("running the tests without a mutant");
    const green = await runGreen(trials, pristine, mutants);
    await inLanes(mutants, async (mutant) => {
      const without = green.get(mutant.test.file) ?? {
        isHung: false,
        isFailed: false,
        seconds: 0,
        ends: [],
      };
      const tried = await tryMutant(trials, { mutant, pristine, green: without });
      const { verdict, why, seconds } = tried;
      say(`${mutant.id}: ${verdict} after ${seconds.toFixed(1)} s: ${why}`);
      trials.tried(tried);
    });
  } finally {
    await rm(pristine, { recursive: true });
  }
}
