import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { z } from "zod";

import { run } from "./child.ts";
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

/** What one program took in one round; whole process, from start to exit. */
export type Measured = Pick<
  z.output<typeof usageSchema>,
  "cpuSeconds" | "rssBytes" | "loopP99Ms" | "loopMaxMs"
> & { readonly rowsPerSecond: number };

type Variant = {
  readonly name: string;
  /** What runs it, on a CSV. */
  readonly args: (csv: string) => readonly string[];
  /** Whether it continues in the folder of the one before it. */
  readonly follows?: boolean;
  readonly leavesOut?: boolean;
};

const stageSluice = fileURLToPath(new URL("workloads/stage-sluice.ts", import.meta.url));
const stageNaive = fileURLToPath(new URL("workloads/stage-naive.ts", import.meta.url));

const naive =
  (level: number): Variant["args"] =>
  (csv) => [stageNaive, "--csv", csv, "--level", String(level)];
const sluice =
  (send: "all" | "changed"): Variant["args"] =>
  (path) =>
    stagingBySluice({ connector: "csv", members: { path }, send });

/** Arguments of the program that stages rows of a source; they lack its folder. */
export function stagingBySluice(of: {
  readonly connector: string;
  /** Of the connection and `from`, as sluice.yaml has them. */
  readonly members: object;
  readonly send: "all" | "changed";
}): readonly string[] {
  const { connector, members, send } = of;
  const from = ["--connector", connector, "--members", JSON.stringify(members)];
  return [stageSluice, ...from, "--send", send];
}

/** The two that are compared in pairs. */
export const pair: readonly Variant[] = [
  { name: "naive", args: naive(6) },
  { name: "sluice, send: all", args: sluice("all") },
];

/** All that is measured. */
export const variants: readonly Variant[] = [
  ...pair,
  { name: "naive, gzip 1", args: naive(1) },
  { name: "sluice, send: changed, first load", args: sluice("changed") },
  {
    name: "sluice, send: changed, all unchanged",
    args: sluice("changed"),
    follows: true,
    leavesOut: true,
  },
];

/** Runs one variant. @throws when its output is not the oracle's: such a round does not count. */
async function measure(variant: Variant, csv: string, folder: string): Promise<Measured> {
  const args = [...variant.args(csv), "--folder", folder];
  const { code, seconds, lastLine } = await run(args, folder);
  if (code !== 0) throw new Error(`${variant.name} ended with ${code}`);
  const { files, records, unchanged, ...usage } = usageSchema.parse(JSON.parse(lastLine));
  const isRight =
    variant.leavesOut === true
      ? unchanged === accounts.rows && records === 0
      : records === accounts.rows && (await jsonlSha256(files)) === accounts.jsonlSha256;
  if (!isRight) throw new Error(`${variant.name}: its output is not the oracle's`);
  return { ...usage, rowsPerSecond: accounts.rows / seconds };
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
  const measureOnce = async (variant: Variant): Promise<Measured> => {
    if (variant.follows !== true) await makeEmpty(output);
    return await measure(variant, how.csv, output);
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
