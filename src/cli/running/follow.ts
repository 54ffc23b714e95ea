import { setTimeout as delay } from "node:timers/promises";

import {
  ApplicationFailure,
  TerminatedFailure,
  WorkflowFailedError,
  type Client,
  type WorkflowHandle,
} from "@temporalio/client";

import type { Progress, ProgressCounts } from "../../../workflows/sync/progress.ts";
import { ApiUnavailableError, ConfigError } from "../../errors.ts";
import { whyNoNamespace } from "../../local/presence.ts";
import { withRead } from "../../report/counts.ts";
import type { RunReport } from "../../report/report.ts";
import type { StageCounts } from "../../state/contract/sends/stagings.ts";
import { counted, grouped } from "../../text/quantities.ts";
import type { Context } from "../output/context.ts";
import { progressText, pullText, type Since } from "../output/progress-text.ts";
import { pendingTrouble, workflowPaused } from "./pending.ts";

/** A workflow that runs a sync or a pull. */
export type RunWorkflow = (input: unknown) => Promise<RunReport>;

/** How often a run is asked for its progress. */
const askEveryMs = 500;

/** How long no worker may answer before this is shown: one that restarts takes a few seconds. */
const silentMsDefault = 10_000;

const nobodyAnswers =
  "no worker answers; the run continues once one does: `sluice worker` or `sluice dev` starts one; where " +
  "`temporal.task_queue` was another when it began, `sluice cancel` ends it";

/** How much of the source a run has read, from 0 to 1; undefined if the source does not say. */
export type ReadShare = (progress: Progress) => Promise<number | undefined>;

/** What a run has read but not reported to its workflow yet. */
export type ReadAhead = (runId: string) => Promise<StageCounts>;

/** The progress of a run, including what is being staged: the workflow learns of a chunk only when it is whole. */
async function withAhead(progress: Progress, ahead: ReadAhead | undefined): Promise<Progress> {
  if (ahead === undefined || progress.pull !== undefined) return progress;
  // A store that is away for a moment ends neither the following nor a worker of the command's own.
  const more = await ahead(progress.run_id).catch(() => undefined);
  return more === undefined ? progress : { ...progress, counts: withRead(progress.counts, more) };
}

/**
 * The larger of each count. A chunk that has just been staged is nobody's for a moment: it is not being read any more,
 * and its workflow has not heard of it.
 */
function notBelow(before: ProgressCounts, now: ProgressCounts): ProgressCounts {
  const larger = (name: keyof ProgressCounts): number => Math.max(before[name], now[name]);
  return {
    read: larger("read"),
    sent: larger("sent"),
    unchanged: larger("unchanged"),
    filtered: larger("filtered"),
    rejected: larger("rejected"),
    staged_chunks: larger("staged_chunks"),
    committed_chunks: larger("committed_chunks"),
    gzip_bytes: larger("gzip_bytes"),
  };
}

/** A way to ask for the progress of a run that never goes back from one answer to the next. */
function onlyForward({
  share,
  ahead,
}: Pick<Following, "ahead" | "share">): (
  told: Progress,
) => Promise<{ readonly progress: Progress; readonly part: number | undefined }> {
  let [counts, part]: [ProgressCounts | undefined, number | undefined] = [undefined, undefined];
  return async (told) => {
    const now = await withAhead(told, ahead);
    counts = notBelow(counts ?? now.counts, now.counts);
    const progress = { ...now, counts };
    const read = await share(progress);
    part = read === undefined ? part : Math.max(read, part ?? 0);
    return { progress, part };
  };
}

/** A workflow that ended: with its report, or with the error that kept it from having one. */
export type Followed = { readonly report: RunReport } | { readonly error: unknown };

/** Shows progress: one line, redrawn, if somebody watches; otherwise a new line for every change. */
function createProgressLine(context: Pick<Context, "environment" | "isQuiet" | "say">): {
  show(text: string, news: string | undefined): void;
  end(): void;
} {
  const isWatched = process.stderr.isTTY && !context.environment.isCi;
  const isDrawn = isWatched && context.isQuiet?.() !== true;
  let last = "";
  return {
    show: (text, news) => {
      const now = isDrawn ? text : news;
      if (now === undefined || now === last) return;
      last = now;
      if (isDrawn) process.stderr.write(`\r\u001b[K${text.slice(0, process.stderr.columns - 1)}`);
      else context.say(now);
    },
    end: () => {
      if (isDrawn && last !== "") process.stderr.write("\r\u001b[K");
    },
  };
}

function modeText(mode: string, reason: string | null): string {
  return `${mode}: ${reason ?? ""}`;
}

/** News that deserves a line if nothing is drawn: a wait, or another committed chunk. */
function newsOf({ waiting, mode, mode_reason, counts, pull }: Progress): string | undefined {
  if (waiting !== null) return waiting;
  if (pull !== undefined) return pull.calls === 0 ? undefined : pullText(pull);
  if (mode === null) return undefined;
  if (counts.committed_chunks === 0) return modeText(mode, mode_reason);
  return (
    `${counted(counts.read, "row")} read, ${grouped(counts.sent)} sent, ` +
    `${counted(counts.committed_chunks, "chunk")} committed`
  );
}

/** The parts of a workflow that waiting for its end needs. */
type Ending = Pick<WorkflowHandle<RunWorkflow>, "result" | "workflowId"> & {
  readonly client: {
    /** Returns the newest execution. */
    getHandle(
      workflowId: string,
    ): Ending & { describe(): Promise<{ readonly status: { readonly name: string } }> };
  };
};

/** The parts of a workflow that following it needs. */
type Followable = Parameters<typeof pendingTrouble>[0] &
  Ending &
  Pick<WorkflowHandle<RunWorkflow>, "query"> & {
    readonly client: Pick<WorkflowHandle["client"], "withAbortSignal">;
  };

function isTerminated(error: unknown): boolean {
  return error instanceof WorkflowFailedError && error.cause instanceof TerminatedFailure;
}

/** The report of a run, even if somebody resets it: the execution before the reset ends as terminated. */
async function resultOf(handle: Ending): Promise<RunReport> {
  try {
    return await handle.result();
  } catch (error) {
    if (!isTerminated(error)) throw error;
    const newest = handle.client.getHandle(handle.workflowId);
    const { status } = await newest.describe();
    if (status.name === "TERMINATED") throw error;
    return await resultOf(newest);
  }
}

/** How a run is followed. */
type Following = {
  readonly context: Pick<Context, "environment" | "isQuiet" | "say">;
  readonly share: ReadShare;
  /** @default nothing is known of it */
  readonly ahead?: ReadAhead | undefined;
  readonly signal: AbortSignal;
  /** Whether it sends anything; if not, the mode in which its records would travel is not shown. @default true */
  readonly isSent?: boolean | undefined;
  /** In ms; how long nobody may answer before this is shown. @default 10 s */
  readonly silentMs?: number;
};

/** A question to Temporal that may not be answered yet. */
type Asking = { last: Promise<unknown> };

/** Asks a run for its progress, again and again until the signal aborts, and shows it. */
async function showProgress(
  handle: Followable,
  asking: Asking,
  { context, share, ahead, signal, isSent = true, silentMs = silentMsDefault }: Following,
): Promise<void> {
  const line = createProgressLine(context);
  const progressOf = onlyForward({ share, ahead });
  const startedAt = Date.now();
  let answeredAt = startedAt;
  let isModeTold = false;
  let first: Omit<Since, "elapsedMs"> | undefined;
  signal.addEventListener("abort", () => line.end(), { once: true });
  while (!signal.aborted) {
    // A query needs a worker. Without one the run still continues, and so does this loop. Only an abort ends the query
    // before its deadline.
    const asked = handle.client.withAbortSignal(signal, async () => {
      const told = await handle.query<Progress>("progress").catch(() => undefined);
      if (signal.aborted) return {};
      return { told, trouble: await pendingTrouble(handle).catch(() => undefined) };
    });
    asking.last = asked;
    const { told, trouble } = await asked;
    const answer = told === undefined ? undefined : await progressOf(told);
    if (signal.aborted) return;
    if (trouble === workflowPaused) {
      answeredAt = Date.now();
      line.show(trouble, trouble);
    } else if (answer === undefined) {
      if (Date.now() - answeredAt >= silentMs) line.show(nobodyAnswers, nobodyAnswers);
    } else {
      answeredAt = Date.now();
      const { progress, part } = answer;
      const mode = isSent ? progress.mode : null;
      const shown = { ...progress, mode, waiting: progress.waiting ?? trouble ?? null };
      first ??= { read: progress.counts.read, share: part ?? 0 };
      const text = progressText(shown, part, { ...first, elapsedMs: Date.now() - startedAt });
      const { mode_reason: reason } = progress;
      // A quick run has committed a chunk before it is asked for the first time.
      if (mode !== null && !isModeTold) line.show(text, modeText(mode, reason));
      isModeTold = mode !== null;
      line.show(text, newsOf(shown));
    }
    await delay(askEveryMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Follows a workflow to its end. If the signal aborts, only the following stops. */
export async function followRun(handle: Followable, how: Following): Promise<Followed | undefined> {
  const { signal } = how;
  // If a result is still polled for when the connection closes, an error of the polling ends the process.
  const polling = handle.client.withAbortSignal(signal, async () => await resultOf(handle));
  const result = polling.then(
    (report): Followed => ({ report }),
    (error: unknown): Followed => ({ error }),
  );
  // The end of a run waits for no answer about its progress, and leaves no timer that would keep the process alive.
  const over = new AbortController();
  const asking: Asking = { last: Promise.resolve() };
  const until = AbortSignal.any([signal, over.signal]);
  const showing = showProgress(handle, asking, { ...how, signal: until });
  try {
    const ended = await Promise.race([result, showing]);
    // The abort also ends the polling, whose result then says nothing about the run.
    return signal.aborted || !ended ? undefined : ended;
  } finally {
    over.abort();
    // The question is abandoned, and over before the connection closes: a call on a closed one would end the process.
    await asking.last.catch(() => undefined);
  }
}

/** The report that a failed workflow carries; undefined if it failed before it had one. */
export function reportOfFailure(error: unknown): RunReport | undefined {
  if (!(error instanceof WorkflowFailedError)) return undefined;
  const { cause } = error;
  const details = cause instanceof ApplicationFailure ? cause.details : undefined;
  return details?.find(isReport);
}

function isReport(value: unknown): value is RunReport {
  return typeof value === "object" && value !== null && "run_id" in value && "outcome" in value;
}

/** As `failureOf`, for an error of waiting for a workflow's end: the namespace may be gone. */
export async function failureFrom(error: unknown, client: Client): Promise<Error> {
  const missing = error instanceof WorkflowFailedError ? undefined : await whyNoNamespace(client);
  return missing ?? failureOf(error);
}

/** The error for a workflow that ended without a report, for a person to act on: its cause's code and text. */
export function failureOf(error: unknown): Error {
  if (!(error instanceof WorkflowFailedError))
    return error instanceof Error ? error : new Error(String(error));
  const { cause } = error;
  if (cause instanceof TerminatedFailure) {
    return new Error(
      "the workflow was terminated; accepted records are committed, the next run sends the rest",
    );
  }
  const type = cause instanceof ApplicationFailure ? cause.type : undefined;
  const message = cause?.message ?? error.message;
  if (type === "ConfigError" || type === "InvalidInput") return new ConfigError(message);
  if (type === "Unavailable") return new ApiUnavailableError(message);
  return new Error(message);
}
