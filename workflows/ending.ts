import {
  ActivityFailure,
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  isCancellation,
  TimeoutFailure,
} from "@temporalio/workflow";

import type { CloseRunInput } from "../activities/inputs.ts";
import type { RunReport } from "../src/report/report.ts";
import { outcomeText } from "../src/text/outcome-text.ts";
import { faultOf } from "./failures.ts";
import { closeRun } from "./policies.ts";
import type { RunView } from "./sync/run-view.ts";

/** How a run is closed. */
type Closing = Omit<CloseRunInput, "runId">;

/** How a run ended, and the error that ended it early. */
export type Ending = { readonly closing: Closing; readonly cause?: unknown };

/** Whether an activity ended because its next attempt was not made. */
function isGivenUp(error: unknown): error is ActivityFailure {
  if (!(error instanceof ActivityFailure)) return false;
  const { cause, retryState } = error;
  if (cause instanceof TimeoutFailure) return true;
  // The server says the same of a failure that no attempt would follow in any case, such as a refused key.
  const isForGood = !(cause instanceof ApplicationFailure) || cause.nonRetryable === true;
  return retryState === "CANCEL_REQUESTED" && !isForGood;
}

/**
 * The cancellation that an error stands for, or the error itself. Once a cancel was requested, an attempt is not made
 * again: one whose worker is gone ends as out of time, one that had not heard of the cancel as what it met.
 */
export function asCancel(error: unknown): unknown {
  const isAsked = CancellationScope.current().consideredCancelled;
  return isAsked && isGivenUp(error) ? new CancelledFailure("cancelled", undefined, error) : error;
}

/** How an error ends a run. */
export function closingOf(error: unknown): Pick<CloseRunInput, "failure" | "outcome"> {
  if (isCancellation(error)) return { outcome: "cancelled" };
  const fault = faultOf(error);
  const own = error instanceof ApplicationFailure ? error : undefined;
  const failure = {
    code: fault?.type ?? own?.type ?? "Unexpected",
    message: fault?.message ?? own?.message ?? String(error),
    hint: fault?.facts.hint,
  };
  if (failure.code === "Busy") return { outcome: "busy", failure };
  if (failure.code === "CreditsExhausted") return { outcome: "credits_exhausted", failure };
  return { outcome: "failed", failure };
}

/** The ending of a run that failed with an error. */
export function endingOf(error: unknown): Required<Ending> {
  const cause = asCancel(error);
  return { closing: closingOf(cause), cause };
}

/**
 * Waits, before continue-as-new, for updates that are being answered. A cancel that arrives meanwhile is an ending: the
 * next execution would not see it, and nobody would close the run.
 */
export async function cancelledBeforeNext(): Promise<Ending | undefined> {
  try {
    await condition(allHandlersFinished);
    return undefined;
  } catch (error) {
    return endingOf(error);
  }
}

/** Whether the run itself says that it has ended: its workflow was reset, and has nothing to close. */
function hasEndedBefore({ failure }: Closing): boolean {
  return failure?.code === "RunEnded";
}

/**
 * Closes a run, even a cancelled one, and shows its report; null for a run that was never opened, or that ended before.
 */
export async function close(view: RunView, closing: Closing): Promise<RunReport | null> {
  const { run_id: runId } = view.progress;
  if (hasEndedBefore(closing)) return null;
  return await CancellationScope.nonCancellable(async () => {
    const report = await closeRun({ runId, ...closing });
    if (report !== null) view.update({ report, waiting: null });
    return report;
  });
}

function textOf({
  message,
  hint,
}: {
  readonly message: string;
  readonly hint?: string | undefined;
}): string {
  return hint === undefined ? message : `${message} (${hint})`;
}

const notOpened = { code: "Unexpected", message: "the run was not opened", hint: undefined };

/** For a discarded run, which must have been opened. */
const lost = {
  code: "WrongStore",
  message: "the run was discarded, and is not in the state store that it was begun on",
  hint: "the store was emptied or restored meanwhile: run the sync again",
};

/**
 * The failure of a run that was never opened, or is no longer in the store: an unknown sync, a store that is away or
 * was restored, a run that has ended.
 */
function openFailure({ failure, outcome }: Closing): ApplicationFailure {
  const { code, message, hint } = failure ?? (outcome === "discarded" ? lost : notOpened);
  return ApplicationFailure.nonRetryable(textOf({ message, hint }), code);
}

/** The failure of a run that was opened and did not end well; the report is its detail. */
function runFailure(report: RunReport): ApplicationFailure {
  const {
    message = `the run ended as ${outcomeText(report.outcome)}`,
    hint,
    code,
  } = report.error ?? {};
  return ApplicationFailure.nonRetryable(textOf({ message, hint }), code ?? "Unexpected", report);
}

/**
 * Closes a run and ends its workflow with the report.
 * @throws {ApplicationFailure} the run failed, or was never opened. @throws the cancellation that ended it.
 */
export async function end(view: RunView, { closing, cause }: Ending): Promise<RunReport> {
  const report = await close(view, closing);
  // A cancel that comes too late changes nothing: the workflow ends as its run did.
  await CancellationScope.nonCancellable(async () => await condition(allHandlersFinished));
  if (isCancellation(cause)) throw cause;
  if (report === null) throw openFailure(closing);
  // A run keeps its first outcome: one that was reset after its end must not seem to have succeeded again.
  const isOfBefore = closing.outcome === "failed" && report.outcome !== "failed";
  if (isOfBefore) throw openFailure(closing);
  if (report.outcome === "failed") throw runFailure(report);
  return report;
}
