import type { ReportCounts, RunReport } from "./report.ts";

/** Outcomes of the rows read, as runs, chunks and their progress all count them. */
export type ReadCounts = Omit<ReportCounts, "gone" | "sent">;

/** Adds the counts of more rows. */
export function withRead<Counts extends ReadCounts>(counts: Counts, more: ReadCounts): Counts {
  return {
    ...counts,
    read: counts.read + more.read,
    unchanged: counts.unchanged + more.unchanged,
    filtered: counts.filtered + more.filtered,
    rejected: counts.rejected + more.rejected,
  };
}

/** The rows of a run by name; for a run that continues, with those read and not committed yet. */
export function countsSoFar({
  counts,
  under_way: underWay,
}: Pick<RunReport, "counts" | "under_way">): Readonly<Record<string, number>> {
  if (underWay === undefined) return { ...counts };
  return { ...withRead(counts, underWay), on_the_way: underWay.records };
}

/** The outcomes of the rows that a run read, by name and in order: a pull writes where a sync sends. */
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
