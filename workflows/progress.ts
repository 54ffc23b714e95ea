import type { StageResult } from "../activities/inputs.ts";
import { detailsErrorCharsMax } from "../src/limits.ts";
import type { RunReport } from "../src/report.ts";

/** Rows by what became of them so far, and what lies staged or is committed. */
export type ProgressCounts = {
  readonly read: number;
  readonly sent: number;
  readonly unchanged: number;
  readonly filtered: number;
  readonly rejected: number;
  readonly staged_chunks: number;
  readonly committed_chunks: number;
  readonly gzip_bytes: number;
};

/** Answer of the query `progress`: names and numbers only (I4). */
export type Progress = {
  readonly run_id: string;
  readonly sync: string;
  readonly mode: string | null;
  readonly mode_reason: string | null;
  readonly counts: ProgressCounts;
  /** What the run waits for, such as "rate limited until …"; null while it moves. */
  readonly waiting: string | null;
  readonly report: RunReport | null;
};

/** The counts of a run that has read nothing. */
export const noCounts: ProgressCounts = {
  read: 0,
  sent: 0,
  unchanged: 0,
  filtered: 0,
  rejected: 0,
  staged_chunks: 0,
  committed_chunks: 0,
  gzip_bytes: 0,
};

/** Counts with a staged chunk added. */
export function withStaged(counts: ProgressCounts, staged: StageResult): ProgressCounts {
  return {
    ...counts,
    read: counts.read + staged.counts.read,
    unchanged: counts.unchanged + staged.counts.unchanged,
    filtered: counts.filtered + staged.counts.filtered,
    rejected: counts.rejected + staged.counts.rejected,
    staged_chunks: counts.staged_chunks + 1,
  };
}

/** Counts with a staged chunk taken back, because it is staged again. */
export function withoutStaged(counts: ProgressCounts, staged: StageResult): ProgressCounts {
  return {
    ...counts,
    read: counts.read - staged.counts.read,
    unchanged: counts.unchanged - staged.counts.unchanged,
    filtered: counts.filtered - staged.counts.filtered,
    rejected: counts.rejected - staged.counts.rejected,
    staged_chunks: counts.staged_chunks - 1,
  };
}

/** Counts with a committed chunk added. */
export function withCommitted(counts: ProgressCounts, staged: StageResult): ProgressCounts {
  return {
    ...counts,
    sent: counts.sent + staged.records,
    committed_chunks: counts.committed_chunks + 1,
    gzip_bytes: counts.gzip_bytes + staged.gzipBytes,
  };
}

function table(rows: readonly (readonly [string, string | number])[]): string {
  return ["| | |", "|---|---:|", ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join(
    "\n",
  );
}

/** Foreign text inside a code fence longer than any run of back-ticks in it: it stays text. */
function fenced(text: string): string {
  const runs = text.match(/`+/g)?.map((run) => run.length) ?? [];
  const fence = "`".repeat(Math.max(2, ...runs) + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** Current details of a run that goes on. */
export function progressDetails(progress: Progress): string {
  const { counts } = progress;
  const title = `### ${progress.sync}: run \`${progress.run_id}\``;
  const mode = progress.mode === null ? [] : [`${progress.mode}: ${progress.mode_reason ?? ""}`];
  // It may quote the service.
  const waiting = progress.waiting === null ? [] : [fenced(progress.waiting)];
  const rows = table([
    ["rows read", counts.read],
    ["sent", counts.sent],
    ["unchanged", counts.unchanged],
    ["filtered", counts.filtered],
    ["rejected", counts.rejected],
    ["chunks committed", `${counts.committed_chunks} of ${counts.staged_chunks} staged`],
  ]);
  return [title, ...mode, ...waiting, rows].join("\n\n");
}

/** Current details of a run that ended. */
export function reportDetails(report: RunReport): string {
  const { counts, error } = report;
  const sent: readonly [string, number] =
    counts.would_send === undefined ? ["sent", counts.sent] : ["would be sent", counts.would_send];
  const rows = table([
    ["rows read", counts.read],
    sent,
    ["unchanged", counts.unchanged],
    ["filtered", counts.filtered],
    ["rejected", counts.rejected],
    ["balanced", report.balanced ? "yes" : "NO"],
    ["chunks / parts", `${report.chunks} / ${report.parts}`],
    ["possibly repeated", report.possibly_repeated],
    ["requests (retries)", `${report.requests} (${report.retries})`],
    ["checkpoint", `${report.checkpoint.before} → ${report.checkpoint.after}`],
  ]);
  const reasons = report.reject_reasons.map(
    ({ reason, count, example }) => `${count} × ${reason}, first at ${example}`,
  );
  return [
    `### ${report.sync}: ${report.outcome}`,
    ...(report.mode === null ? [] : [`${report.mode}: ${report.mode_reason ?? ""}`]),
    ...(error === undefined
      ? []
      : [
          fenced(
            [error.message, error.hint ?? ""].join("\n").trim().slice(0, detailsErrorCharsMax),
          ),
        ]),
    rows,
    ...(report.warnings.length === 0 ? [] : ["Warnings:", fenced(report.warnings.join("\n"))]),
    ...(reasons.length === 0 ? [] : ["Rejects:", fenced(reasons.join("\n"))]),
    `\`sluice runs show ${report.run_id}\` · \`sluice rejects list --run ${report.run_id}\``,
  ].join("\n\n");
}
