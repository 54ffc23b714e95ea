import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { z } from "zod";

import { type Ended, run } from "./child.ts";
import { flagsOf } from "./launch-flags.ts";
import { say } from "./report.ts";
import { accounts, jsonlSha256 } from "./workloads/accounts.ts";

/** What a program that stages prints as its last line. */
export const usageSchema = z.object({
  files: z.array(z.string()),
  records: z.int(),
  unchanged: z.int(),
  loopP99Ms: z.number().optional(),
  loopMaxMs: z.number().optional(),
  cpuSeconds: z.number(),
  rssBytes: z.number(),
});

/** A program that stages, and what it printed. */
export type StagingRun = Ended & { readonly usage: z.output<typeof usageSchema> };

/** What one program took in one round; whole process, from start to exit. */
export type Measured = Pick<
  z.output<typeof usageSchema>,
  "cpuSeconds" | "rssBytes" | "loopP99Ms" | "loopMaxMs"
> & { readonly rowsPerSecond: number };

type Variant = {
  readonly name: string;
  /** What runs it, on a CSV. */
  readonly args: (csv: string) => readonly string[];
};

const stageSluice = fileURLToPath(new URL("workloads/stage-sluice.ts", import.meta.url));
const stageNaive = fileURLToPath(new URL("workloads/stage-naive.ts", import.meta.url));

/** What stages rows in a worker is started with. */
const workerFlags = await flagsOf("worker");

/** Arguments of the program that stages rows of a source; they lack its folder. */
export function stagingBySluice(of: {
  readonly connector: string;
  /** Of the connection and `from`, as sluice.yaml has them. */
  readonly members: object;
  readonly send: "all" | "changed";
}): readonly string[] {
  const { connector, members, send } = of;
  const from = ["--connector", connector, "--members", JSON.stringify(members)];
  return [...workerFlags, stageSluice, ...from, "--send", send];
}

/** What was compiled is kept, as bin/sluice.js has it kept for every command and its threads. */
const keepCompiled = { NODE_COMPILE_CACHE: join(tmpdir(), "sluice-bench-compiled") };

/** The two that are compared in pairs. */
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
 * Runs a program that stages, and looks at its output once the clock has stopped. `sha256` is that of its
 * lines in their order; undefined looks at no lines.
 * @throws {Error} its output is not what is wanted: such a round does not count
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
 * @returns for each name what each round took.
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
 * @returns for each name what each round took.
 */
export async function measureRounds(how: {
  readonly variants: readonly Variant[];
  readonly rounds: number;
  readonly csv: string;
  /** Takes the output, which is removed again. */
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

/** Makes a folder anew. */
export async function makeEmpty(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
}
