import type { RunReport } from "./report.ts";

/** What became of what a run read, by name and in order: a pull writes where a sync sends. */
export function reportCounts({
  counts,
  pull,
}: Pick<RunReport, "counts" | "pull">): readonly (readonly [string, number])[] {
  if (pull === undefined) return Object.entries(counts);
  const { read, rejected } = counts;
  const { written, unchanged, missing } = pull;
  return Object.entries({ read, written, unchanged, missing, rejected });
}
