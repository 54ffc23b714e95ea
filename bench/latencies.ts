import { z } from "zod";

/** How long calls of one kind took, in ms; `max` is 0 if there were none. */
export const latencies = z.object({
  count: z.int(),
  p50: z.number(),
  p99: z.number(),
  max: z.number(),
});

/** See `latencies`. */
export type Latencies = z.output<typeof latencies>;

/** Sums up durations in ms. */
export function latenciesOf(durations: readonly number[]): Latencies {
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}
