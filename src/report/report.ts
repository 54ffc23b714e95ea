import { reportReasonsMax } from "../limits.ts";
import { rejectText } from "../records/reject-codes.ts";
import type { PullTally } from "../state/contract/pull/pull-runs.ts";
import type { RejectReason } from "../state/contract/rejects/rejects.ts";
import { type Hold, openHold } from "../state/contract/runs/holds.ts";
import type { Outcome, RunFailure, RunKind } from "../state/contract/runs/runs.ts";
import type { Run } from "../state/contract/runs/runs.ts";
import type { Tally } from "../state/contract/runs/tally.ts";
import type { Changes } from "../state/contract/sends/changes.ts";
import type { StageCounts } from "../state/contract/sends/stagings.ts";

/** Outcomes of the rows of a run. */
export type ReportCounts = {
  readonly read: number;
  readonly sent: number;
  readonly unchanged: number;
  readonly filtered: number;
  readonly rejected: number;
  /** Events that were removed from an inbox before this sync read them; undefined for none. They count as read. */
  readonly gone?: number;
};

/** Why a run is held, or was. */
export type ReportHold = Omit<Hold, "approvedAt"> & { readonly approved_at: string | null };

/** Why records were sent: new + changed + unknown + again are all of them, including those that were refused later. */
export type ReportChanges = {
  readonly new: number;
  readonly changed: number;
  /** Those of `changed` for which the service held a record made by an older mapping. */
  readonly remapped: number;
  /** Nobody knows whether, or in which form, the service held them. */
  readonly unknown: number;
  /** Sent although held in the same form, because somebody asked or a request was in doubt; or twice in this run. */
  readonly again: number;
  /** For a run that reads all: known records that are no longer in the source. */
  readonly vanished?: number;
  /** The fields in which changed records differ, the most frequent first. */
  readonly fields: readonly { readonly field: string; readonly records: number }[];
};

/** A reason for rejects, with the place of the first one. */
export type ReportReason = {
  readonly code: string;
  readonly reason: string;
  readonly count: number;
  /** `file:line` or `connection#number`, or the reject's number in the run if a place could contain a key. */
  readonly example: string;
};

/** Reported only by a pull: read = written + unchanged + missing + rejected. */
export type PullReport = {
  readonly written: number;
  readonly unchanged: number;
  /** Results without a row, if none may be made. */
  readonly missing: number;
  readonly pages: number;
  /** Each costs credits. */
  readonly calls: number;
  /** Pages asked for again after a lost answer or a crash. */
  readonly possibly_paid_twice: number;
  /** Results that had come before in the same round, because they moved while they were read. */
  readonly repeated: number;
  /** Whether it continued where an earlier run stopped. */
  readonly continued: boolean;
  /** Whether everything came; if not, the next run continues where this one stopped. */
  readonly finished: boolean;
  /** Only for a pull of job postings. */
  readonly domains?: { readonly listed: number; readonly done: number; readonly refused: number };
};

/** The run report: the one object behind `runs show`, the workflow's result and its details. */
export type RunReport = {
  readonly run_id: string;
  readonly workflow_id: string;
  /** Name of the sync or pull. */
  readonly sync: string;
  readonly kind: RunKind;
  /** Why somebody wanted it; only for a backfill that gives a reason. */
  readonly note?: string;
  readonly outcome: Outcome | "held" | "running";
  readonly error?: RunFailure;
  /** The hold that needs a person's consent, or its last one if the run has ended or was approved. */
  readonly hold?: ReportHold;
  readonly mode: string | null;
  readonly mode_reason: string | null;
  readonly counts: ReportCounts;
  /** Why its records were sent; undefined if nobody checked whether they changed. */
  readonly changes?: ReportChanges;
  /** For a run that continues: read and not committed yet, not included in `counts`; `records` may still be sent. */
  readonly under_way?: StageCounts;
  /** For a run that ended early: read but not committed, not included in `counts`; the next run reads it again. */
  readonly given_up?: StageCounts;
  readonly pull?: PullReport;
  /** Whether read = sent + unchanged + filtered + rejected + gone (I2), or the pull's own equation holds. */
  readonly balanced: boolean;
  readonly chunks: number;
  readonly parts: number;
  readonly bytes: { readonly json: number; readonly gzip: number };
  readonly requests: number;
  readonly retries: number;
  /** Records that may have been sent more than once, after a crash or a lost answer. */
  readonly possibly_repeated: number;
  /** The waits for rate limits that steps were given, added up. */
  readonly waited_ms: number;
  /** Rows of the source that wait until the time of their stamp. */
  readonly stamped_in_future: number;
  /** Versions; the positions stay in the store. */
  readonly checkpoint: { readonly before: number; readonly after: number };
  readonly reject_reasons: readonly ReportReason[];
  /** Messages for a person from the source's connector. */
  readonly warnings: readonly string[];
  readonly config_hash: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  /** Without the time in which no worker ran. */
  readonly duration_ms: number;
};

/** The bucket that does not balance, or undefined (I2): each is counted twice, at its source and where it ended. */
export function imbalance(tally: Tally): string | undefined {
  const { read, sent, unchanged, filtered, rejected, staged, refused } = tally;
  if (sent !== staged) return `sent: ${staged} records were staged, the receipts hold ${sent}`;
  if (rejected !== refused) {
    return `rejected: ${refused} rows were refused, the reject store holds ${rejected}`;
  }
  const sum = sent + unchanged + filtered + rejected;
  return read === sum ? undefined : `read: ${read} rows were read, ${sum} are accounted for`;
}

/** The same for a pull. */
export function pullImbalance(tally: PullTally): string | undefined {
  const { read, written, unchanged, missing, rejected, refused } = tally;
  if (rejected !== refused) {
    return `rejected: ${refused} results were refused, the reject store holds ${rejected}`;
  }
  const sum = written + unchanged + missing + rejected;
  return read === sum ? undefined : `read: ${read} results came, ${sum} are accounted for`;
}

function pullReport(tally: PullTally): PullReport {
  const { domains: listed, domainsDone: done, domainsRefused: refused } = tally;
  return {
    written: tally.written,
    unchanged: tally.unchanged,
    missing: tally.missing,
    pages: tally.pages,
    calls: tally.calls,
    possibly_paid_twice: tally.possiblyPaidTwice,
    repeated: tally.repeated,
    continued: tally.isContinued,
    finished: tally.roundsDone > 0,
    ...(listed === 0 ? {} : { domains: { listed, done, refused } }),
  };
}

/** Changes as a report shows them. */
export function changesReport(changes: Changes): ReportChanges {
  const { fields, examples: _, ...counts } = changes;
  const each = Object.entries(fields).map(([field, records]) => ({ field, records }));
  return {
    ...counts,
    fields: each.toSorted((a, b) => b.records - a.records || (a.field < b.field ? -1 : 1)),
  };
}

function changesOfRun({ vanished }: Run, changes: Changes): ReportChanges {
  return vanished === null ? changesReport(changes) : { ...changesReport(changes), vanished };
}

function holdReport({ approvedAt: approved_at, ...hold }: Hold): ReportHold {
  return { ...hold, approved_at };
}

/** Whether a place is `file:line` or `connection#number`. */
export function isLine(place: string): boolean {
  return /^[^\n]+[:#]\d+$/.test(place);
}

/** A place may contain a key, which must not enter Temporal: only `file:line` is reported. */
function exampleOf({ chunk, ordinal, place }: RejectReason, { placesAreLines }: Run): string {
  return placesAreLines && isLine(place) ? place : `reject ${chunk}.${ordinal}`;
}

/** Makes the report of a run from the store's facts. */
export function buildReport(from: {
  readonly run: Run;
  readonly tally: Tally;
  readonly reasons: readonly RejectReason[];
  /** By the clock that stamped a run that continues. @default this process's */
  readonly nowMs?: number;
  /** For a run of a pull. */
  readonly pull?: PullTally | undefined;
  /** For a run that continues. */
  readonly underWay?: StageCounts | undefined;
  /** For a run of a sync that has ended. */
  readonly givenUp?: StageCounts | undefined;
}): RunReport {
  const { run, nowMs = Date.now(), tally, reasons, pull, underWay, givenUp } = from;
  const { sent, filtered } = tally;
  const { unchanged, rejected } = pull ?? tally;
  const read = (pull ?? tally).read + run.gone;
  const gone = run.gone === 0 ? {} : { gone: run.gone };
  // A run that completed has read again whatever it abandoned on the way.
  const isWhole = run.outcome === "done" || run.outcome === "done_with_rejects";
  const ended = run.endedAt === null ? nowMs : Date.parse(run.endedAt);
  return {
    run_id: run.runId,
    workflow_id: run.workflowId,
    sync: run.sync,
    kind: run.kind,
    ...(run.request.note === undefined ? {} : { note: run.request.note }),
    outcome: run.outcome ?? (openHold(run) === undefined ? "running" : "held"),
    ...(run.failure === null ? {} : { error: run.failure }),
    ...(run.hold === null ? {} : { hold: holdReport(run.hold) }),
    mode: run.mode,
    mode_reason: run.modeReason,
    counts: { read, sent, unchanged, filtered, rejected, ...gone },
    ...(tally.changes === undefined ? {} : { changes: changesOfRun(run, tally.changes) }),
    ...(underWay === undefined ? {} : { under_way: underWay }),
    ...(isWhole || givenUp === undefined || givenUp.read === 0 ? {} : { given_up: givenUp }),
    ...(pull === undefined ? {} : { pull: pullReport(pull) }),
    balanced: (pull === undefined ? imbalance(tally) : pullImbalance(pull)) === undefined,
    chunks: tally.chunks,
    parts: tally.parts,
    bytes: { json: tally.jsonBytes, gzip: tally.gzipBytes },
    requests: run.requests,
    retries: run.retries,
    possibly_repeated: run.possiblyRepeated,
    waited_ms: run.waitedMs,
    stamped_in_future: run.future,
    checkpoint: { before: run.checkpointBefore, after: run.checkpointVersion },
    reject_reasons: reasons.slice(0, reportReasonsMax).map((reason) => ({
      code: reason.code,
      reason: rejectText(reason.code),
      count: reason.count,
      example: exampleOf(reason, run),
    })),
    warnings: run.warnings,
    config_hash: run.configHash,
    started_at: run.startedAt,
    ended_at: run.endedAt,
    duration_ms: Math.max(0, ended - Date.parse(run.startedAt) - run.idleMs),
  };
}
