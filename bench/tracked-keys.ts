import { fileURLToPath } from "node:url";

import { z } from "zod";

import { latencies } from "./latencies.ts";

/** The program that keeps many keys in a store, and measures that. */
export const trackKeys = fileURLToPath(new URL("workloads/track-keys.ts", import.meta.url));

const trackedPart = z.object({
  name: z.string(),
  keys: z.int(),
  seconds: z.number(),
  /** Processor time of all threads for each key, in µs. */
  cpuUsPerKey: z.number(),
  calls: latencies,
  prepared: latencies,
  commits: latencies,
});

const trackedSchema = z.object({ parts: z.array(trackedPart), bytes: z.number() });

/** The figures of one part. */
export type TrackedPart = z.output<typeof trackedPart>;

/** Reads the last line of `trackKeys`; `bytes` is the size of the store's file. @throws it is something else */
export function readTracked(lastLine: string): z.output<typeof trackedSchema> {
  return trackedSchema.parse(JSON.parse(lastLine));
}
