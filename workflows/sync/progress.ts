import type { StageResult } from "../../activities/inputs.ts";
import type { PullReport, ReportCounts, RunReport } from "../../src/report/report.ts";
import type { Hold } from "../../src/state/contract/runs/holds.ts";
import { changesLines } from "../../src/text/changes-text.ts";
import { heldLines } from "../../src/text/hold-text.ts";
import { outcomeText } from "../../src/text/outcome-text.ts";
import { detailsErrorCharsMax } from "../limits.ts";

/** Rows by their outcome. */
type RowCounts = Omit<ReportCounts, "gone">;

/** Rows by their outcome so far, and what is staged or committed. */
export type ProgressCounts = RowCounts & {
  readonly staged_chunks: number;
  readonly committed_chunks: number;
  readonly gzip_bytes: number;
};

/** What a pull has done so far: read = written + unchanged + missing + rejected. */
export type PullProgress = Pick<RowCounts, "read" | "rejected"> &
  Pick<PullReport, "written" | "unchanged" | "missing" | "pages" | "calls" | "domains">;

/** Answer of the query `progress`: names and numbers only (I4). */
export type Progress = {
  readonly run_id: string;
  /** Name of the sync or pull. */
  readonly sync: string;
  readonly mode: string | null;
  readonly mode_reason: string | null;
  readonly counts: ProgressCounts;
  /** For a pull, in place of `counts`. */
  readonly pull?: PullProgress | undefined;
  /** What the run waits for, such as "rate limited until …"; null while it moves. */
  readonly waiting: string | null;
  readonly report: RunReport | null;
  /** The hold of a run that waits for a person's consent; nothing of it was sent. */
  readonly held?: Hold | undefined;
  /** For a backfill: whether its plan waits for a person. */
  readonly needs_approval?: boolean | undefined;
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

function withChunks(counts: ProgressCounts, of: StageResult, by: 1 | -1): ProgressCounts {
  return {
    ...counts,
    read: counts.read + by * of.counts.read,
    unchanged: counts.unchanged + by * of.counts.unchanged,
    filtered: counts.filtered + by * of.counts.filtered,
    rejected: counts.rejected + by * of.counts.rejected,
    staged_chunks: counts.staged_chunks + by,
  };
}

/** Counts with a staged chunk added. */
export function withStaged(counts: ProgressCounts, staged: StageResult): ProgressCounts {
  return withChunks(counts, staged, 1);
}

/** Counts with a staged chunk taken back, because it is staged again. */
export function withoutStaged(counts: ProgressCounts, staged: StageResult): ProgressCounts {
  return withChunks(counts, staged, -1);
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

function table(rows: Rows): string {
  return ["| | |", "|---|---:|", ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join(
    "\n",
  );
}

/** Foreign text inside a code fence longer than any run of back-ticks in it, so that it stays text. */
export function fenced(text: string): string {
  const runs = text.match(/`+/g)?.map((run) => run.length) ?? [];
  const fence = "`".repeat(Math.max(2, ...runs) + 1);
  return `${fence}\n${text}\n${fence}`;
}

type Rows = readonly (readonly [string, string | number])[];

function rowCounts(counts: RowCounts): Rows {
  return [
    ["rows read", counts.read],
    ["sent", counts.sent],
    ["unchanged", counts.unchanged],
    ["filtered", counts.filtered],
    ["rejected", counts.rejected],
  ];
}

function countRows(counts: ProgressCounts): Rows {
  return [
    ...rowCounts(counts),
    ["chunks committed", `${counts.committed_chunks} of ${counts.staged_chunks} staged`],
  ];
}

function domainRows(domains: PullReport["domains"]): Rows {
  if (domains === undefined) return [];
  const { listed, done, refused } = domains;
  return [["domains done / refused", `${done} / ${refused} of ${listed}`]];
}

function pullRows(pull: PullProgress): Rows {
  return [
    ["results read", pull.read],
    ["written", pull.written],
    ["unchanged", pull.unchanged],
    ["without a row", pull.missing],
    ["rejected", pull.rejected],
    ["pages (calls)", `${pull.pages} (${pull.calls})`],
    ...domainRows(pull.domains),
  ];
}

/** Why a run is held, and what to do about it. */
function heldDetails({ held, counts, run_id: runId }: Progress): readonly string[] {
  if (held === undefined) return [];
  const kept = counts.committed_chunks === 0 ? "nothing changed" : "what was committed kept";
  const { number, digest, since } = held;
  return [
    `**Held since ${since.slice(0, 16).replace("T", " ")} UTC: nothing more is sent until somebody agrees.**`,
    fenced(heldLines(held).join("\n")),
    `Look at it: \`sluice runs show ${runId}\`. Send it: \`sluice approve ${runId}\`, or the update \`approve\` of`,
    fenced(JSON.stringify({ hold: number, digest })),
    `End it, with ${kept}: \`sluice discard ${runId}\`, or the update \`discard\`; so it ends after 7 days.`,
  ];
}

/** Current details of a run that continues. */
export function progressDetails(progress: Progress): string {
  const { counts } = progress;
  const title = `### ${progress.sync}: run \`${progress.run_id}\``;
  const mode = progress.mode === null ? [] : [`${progress.mode}: ${progress.mode_reason ?? ""}`];
  // The text may quote the service.
  const waiting = progress.waiting === null ? [] : [fenced(progress.waiting)];
  const rows = progress.pull === undefined ? countRows(counts) : pullRows(progress.pull);
  return [title, ...heldDetails(progress), ...mode, ...waiting, table(rows)].join("\n\n");
}

function reportRows(report: RunReport): Rows {
  return [
    ...rowCounts(report.counts),
    ["balanced", report.balanced ? "yes" : "NO"],
    ["chunks / parts", `${report.chunks} / ${report.parts}`],
    ["possibly repeated", report.possibly_repeated],
    ["requests (retries)", `${report.requests} (${report.retries})`],
    ["checkpoint", `${report.checkpoint.before} → ${report.checkpoint.after}`],
  ];
}

function pullReportRows(report: RunReport, pull: PullReport): Rows {
  const { read, rejected } = report.counts;
  return [
    ...pullRows({ ...pull, read, rejected }),
    ["balanced", report.balanced ? "yes" : "NO"],
    ["possibly paid twice", pull.possibly_paid_twice],
    ["came twice", pull.repeated],
    ["finished", pull.finished ? "yes" : "no: the next run continues"],
  ];
}

/** Current details of a run that ended. */
export function reportDetails(report: RunReport): string {
  const { error } = report;
  const rows = table(
    report.pull === undefined ? reportRows(report) : pullReportRows(report, report.pull),
  );
  const why = changesLines(report.changes);
  const changes = why.length === 0 ? [] : ["Sent:", fenced(why.join("\n"))];
  const reasons = report.reject_reasons.map(
    ({ reason, count, example }) => `${count} × ${reason}, first at ${example}`,
  );
  return [
    `### ${report.sync}: ${outcomeText(report.outcome)}`,
    ...(report.mode === null ? [] : [`${report.mode}: ${report.mode_reason ?? ""}`]),
    ...(error === undefined
      ? []
      : [
          fenced(
            [error.message, error.hint ?? ""].join("\n").trim().slice(0, detailsErrorCharsMax),
          ),
        ]),
    rows,
    ...changes,
    ...(report.warnings.length === 0 ? [] : ["Warnings:", fenced(report.warnings.join("\n"))]),
    ...(reasons.length === 0 ? [] : ["Rejects:", fenced(reasons.join("\n"))]),
    `\`sluice runs show ${report.run_id}\` · \`sluice rejects list --run ${report.run_id}\``,
  ].join("\n\n");
}
