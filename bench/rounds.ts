import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { z } from "zod";

import { accounts, jsonlSha256 } from "./accounts.ts";
import { run } from "./child.ts";

const usageSchema = z.object({
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
  readonly args: readonly string[];
  /** Whether it goes on in the folder of the one before it. */
  readonly follows?: boolean;
  readonly leavesOut?: boolean;
};

const sluice = fileURLToPath(new URL("stage-sluice.ts", import.meta.url));
const naive = fileURLToPath(new URL("stage-naive.ts", import.meta.url));

/** The two that are compared in pairs. */
export const pair: readonly Variant[] = [
  { name: "naive", args: [naive, "--level", "6"] },
  { name: "sluice, send: all", args: [sluice, "--send", "all"] },
];

/** All that is measured. */
export const variants: readonly Variant[] = [
  ...pair,
  { name: "naive, gzip 1", args: [naive, "--level", "1"] },
  { name: "sluice, send: changed, first load", args: [sluice, "--send", "changed"] },
  {
    name: "sluice, send: changed, all unchanged",
    args: [sluice, "--send", "changed"],
    follows: true,
    leavesOut: true,
  },
];

/** Runs one variant. @throws when its output is not the oracle's: such a round does not count. */
async function measure(variant: Variant, csv: string, folder: string): Promise<Measured> {
  const args = [...variant.args, "--csv", csv, "--folder", folder];
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
 * Measures the variants in turn, round by round, after a warm-up that does not count.
 * @returns for each name what each round took.
 */
export async function measureRounds(how: {
  readonly variants: readonly Variant[];
  readonly rounds: number;
  readonly csv: string;
  /** Takes the output, which is removed again. */
  readonly folder: string;
  readonly say: (text: string) => void;
}): Promise<ReadonlyMap<string, readonly Measured[]>> {
  const measured = new Map(how.variants.map(({ name }) => [name, new Array<Measured>()]));
  const output = join(how.folder, "output");
  for (let round = 0; round <= how.rounds; round += 1) {
    for (const variant of how.variants) {
      if (variant.follows !== true) {
        await rm(output, { recursive: true, force: true });
        await mkdir(output);
      }
      const result = await measure(variant, how.csv, output);
      if (round > 0) measured.get(variant.name)?.push(result);
      const name = round === 0 ? "warm-up" : `round ${round} of ${how.rounds}`;
      how.say(`${name}: ${variant.name}: ${Math.round(result.rowsPerSecond / 1_000)} krows/s`);
    }
  }
  await rm(output, { recursive: true, force: true });
  return measured;
}
