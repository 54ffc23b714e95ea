import type { RunReport } from "./report.ts";

/** The rows of a run by name: of one that goes on with what it has read and not committed yet. */
export function countsSoFar({
  counts,
  under_way: underWay,
}: Pick<RunReport, "counts" | "under_way">): Readonly<Record<string, number>> {
  if (underWay === undefined) return { ...counts };
  const { read, unchanged, filtered, rejected } = counts;
  return {
    ...counts,
    read: read + underWay.read,
    unchanged: unchanged + underWay.unchanged,
    filtered: filtered + underWay.filtered,
    rejected: rejected + underWay.rejected,
    on_the_way: underWay.records,
  };
}

/** What became of what a run read, by name and in order: a pull writes where a sync sends. */
export function reportCounts({
  pull,
  ...report
}: Pick<RunReport, "counts" | "pull" | "under_way">): readonly (readonly [string, number])[] {
  const { counts } = report;
  if (pull === undefined) return Object.entries(countsSoFar(report));
  const { read, rejected } = counts;
  const { written, unchanged, missing } = pull;
  return Object.entries({ read, written, unchanged, missing, rejected });
}
