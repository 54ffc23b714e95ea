import type { ChildProcess } from "node:child_process";

import { z } from "zod";

import { type Ended, peakRssBytes, rssBytesOf, run } from "./child.ts";

const lookEveryMs = 50;

const reportSchema = z.object({
  outcome: z.string(),
  mode: z.string(),
  counts: z.object({
    read: z.int(),
    sent: z.int(),
    unchanged: z.int(),
    filtered: z.int(),
    rejected: z.int(),
  }),
  balanced: z.boolean(),
  chunks: z.int(),
  duration_ms: z.number(),
});

/** A run of a sync, from the start of its process to its exit. */
export type WholeRun = Ended & {
  readonly report: z.output<typeof reportSchema>;
  /** The peak memory of the process, which may contain the worker. */
  readonly rssBytes: number;
  /** Its memory over time, sampled at a fixed interval. */
  readonly rssOverTime: readonly number[];
};

/**
 * Runs a sync of the project in a folder as a user does. `program` is the command line; `temporalAddress`
 * names a Temporal that has a worker; without it the command finds or starts what it needs.
 */
export async function runSync(
  folder: string,
  sync: string,
  how: { readonly program: string; readonly temporalAddress?: string },
): Promise<WholeRun> {
  let rssBytes = 0;
  const rssOverTime: number[] = [];
  let looking: NodeJS.Timeout | undefined;
  const watch = (child: ChildProcess): void => {
    looking = setInterval(() => {
      void peakRssBytes(child).then((bytes = 0) => (rssBytes = Math.max(rssBytes, bytes)));
      void rssBytesOf(child).then((bytes = 0) => bytes > 0 && rssOverTime.push(bytes));
    }, lookEveryMs);
  };
  const args = [process.execPath, how.program, "run", sync, "--json"];
  const ended = await run(temporalAt(how.temporalAddress, args), folder, {
    program: "env",
    watch,
  }).finally(() => clearInterval(looking));
  const report = reportOf(ended.lastLine);
  return { ...ended, report, rssBytes, rssOverTime };
}

/** @throws {Error} with the command's output, if that is not a report. */
function reportOf(lastLine: string): WholeRun["report"] {
  const parsed = reportSchema.safeParse(JSON.parse(lastLine));
  if (parsed.success) return parsed.data;
  throw new Error(`sluice run ended without a report: ${lastLine}`, { cause: parsed.error });
}

/** Arguments of `env` with which a command finds Temporal at an address. */
export function temporalAt(address: string | undefined, command: readonly string[]): string[] {
  return address === undefined ? [...command] : [`TEMPORAL_ADDRESS=${address}`, ...command];
}
