import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { z } from "zod";

import { type Ended, run } from "./child.ts";
import { flagsOf } from "./launch-flags.ts";
import { say } from "./report.ts";
import { accounts, jsonlSha256 } from "./workloads/accounts.ts";

/** The last line of a program that stages. */
export const usageSchema = z.object({
  files: z.array(z.string()),
  records: z.int(),
  unchanged: z.int(),
  loopP99Ms: z.number().optional(),
  loopMaxMs: z.number().optional(),
  cpuSeconds: z.number(),
  rssBytes: z.number(),
});

/** A program that stages, and its output. */
export type StagingRun = Ended & { readonly usage: z.output<typeof usageSchema> };

/** The figures of one program in one round; whole process, from start to exit. */
export type Measured = Pick<
  z.output<typeof usageSchema>,
  "cpuSeconds" | "rssBytes" | "loopP99Ms" | "loopMaxMs"
> & { readonly rowsPerSecond: number };

type Variant = {
  readonly name: string;
  /** The arguments that run it on a CSV. */
  readonly args: (csv: string) => readonly string[];
};

const stageSluice = fileURLToPath(new URL("workloads/stage-sluice.ts", import.meta.url));
const stageNaive = fileURLToPath(new URL("workloads/stage-naive.ts", import.meta.url));

/** Node's flags for staging as a worker does. */
const workerFlags = await flagsOf("worker");

/** Arguments of the program that stages rows of a source, without its folder. */
export function stagingBySluice(of: {
  readonly connector: string;
  /** Members of the connection and of `from`, as in sluice.yaml. */
  readonly members: object;
  readonly send: "all" | "changed";
}): readonly string[] {
  const { connector, members, send } = of;
  const from = ["--connector", connector, "--members", JSON.stringify(members)];
  return [...workerFlags, stageSluice, ...from, "--send", send];
}

/** Keeps compiled code, as bin/sluice.js does for every command and its threads. */
const keepCompiled = { NODE_COMPILE_CACHE: join(tmpdir(), "sluice-bench-compiled") };

/** The two programs that are compared in pairs. */
export const pair: readonly Variant[] = [
  { name: "naive", args: (csv) => [stageNaive, "--csv", csv, "--level", "6"] },
  {
    name: "sluice, send: all",
    args: (path) => [
      ...stagingBySluice({ connector: "csv", members: { path }, send: "all" }),
      "--watch-loop",
    ],
  },
];

/**
 * Runs a program that stages, and checks its output once the clock has stopped. `sha256` is the hash of its
 * lines in order; undefined checks no lines.
 * @throws {Error} its output is not the expected one: such a round does not count
 */
export async function runStaging(
  args: readonly string[],
  folder: string,
  wanted: { readonly records: number; readonly unchanged?: number; readonly sha256?: string },
): Promise<StagingRun> {
  const ended = await run(args, folder, { variables: keepCompiled });
  if (ended.code !== 0) throw new Error(`${args.join(" ")} ended with ${ended.code}`);
  const usage = usageSchema.parse(JSON.parse(ended.lastLine));
  const { files, records, unchanged } = usage;
  const isRight =
    records === wanted.records &&
    unchanged === (wanted.unchanged ?? 0) &&
    (wanted.sha256 === undefined || (await jsonlSha256(files)) === wanted.sha256);
  if (!isRight) throw new Error(`${args.join(" ")}: its output is not the oracle's`);
  return { ...ended, usage };
}

/**
 * Measures in turn, round by round, after a warm-up that does not count.
 * @returns the figures of each round, by name.
 */
export async function alternate<Figures extends { readonly rowsPerSecond: number }>(
  measures: ReadonlyMap<string, () => Promise<Figures>>,
  rounds: number,
): Promise<ReadonlyMap<string, readonly Figures[]>> {
  const measured = new Map([...measures.keys()].map((name) => [name, new Array<Figures>()]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, measureOnce] of measures) {
      const figures = await measureOnce();
      if (round > 0) measured.get(name)?.push(figures);
      const which = round === 0 ? "warm-up" : `round ${round} of ${rounds}`;
      say(`${which}: ${name}: ${Math.round(figures.rowsPerSecond / 1_000)} krows/s`);
    }
  }
  return measured;
}

/**
 * Measures the variants in turn, round by round, after a warm-up that does not count.
 * @returns the figures of each round, by name.
 */
export async function measureRounds(how: {
  readonly variants: readonly Variant[];
  readonly rounds: number;
  readonly csv: string;
  /** Holds the output, which is removed again. */
  readonly folder: string;
}): Promise<ReadonlyMap<string, readonly Measured[]>> {
  const output = join(how.folder, "output");
  const { rows, jsonlSha256: sha256 } = accounts;
  const measureOnce = async ({ args }: Variant): Promise<Measured> => {
    await makeEmpty(output);
    const of = [...args(how.csv), "--folder", output];
    const { usage, seconds } = await runStaging(of, output, { records: rows, sha256 });
    return { ...usage, rowsPerSecond: rows / seconds };
  };
  const measures = how.variants.map(
    (variant) => [variant.name, async () => await measureOnce(variant)] as const,
  );
  const measured = await alternate(new Map(measures), how.rounds);
  await rm(output, { recursive: true, force: true });
  return measured;
}

/** Creates an empty folder, in place of an existing one. */
export async function makeEmpty(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
}
