import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  isCancellation,
} from "@temporalio/workflow";

import type { CloseRunInput } from "../activities/inputs.ts";
import type { RunReport } from "../src/report.ts";
import { faultOf } from "./failures.ts";
import { closeRun } from "./policies.ts";
import type { RunView } from "./run-view.ts";

/** How a run is closed. */
type Closing = Omit<CloseRunInput, "runId">;

/** How a run ended, and what it was that ended it early. */
export type Ending = { readonly closing: Closing; readonly cause?: unknown };

/** How an error ends a run. */
export function closingOf(error: unknown): Pick<CloseRunInput, "failure" | "outcome"> {
  if (isCancellation(error)) return { outcome: "cancelled" };
  const fault = faultOf(error);
  const failure = {
    code: fault?.type ?? "Unexpected",
    message: fault?.message ?? String(error),
    hint: fault?.facts.hint,
  };
  if (failure.code === "Busy") return { outcome: "busy", failure };
  if (failure.code === "CreditsExhausted") return { outcome: "credits_exhausted", failure };
  return { outcome: "failed", failure };
}

/**
 * Waits, before continue-as-new, for updates that are being answered. A cancel that came meanwhile is an ending: the next execution would
 * not hear of it, and nobody would close the run.
 */
export async function cancelledBeforeNext(): Promise<Ending | undefined> {
  try {
    await condition(allHandlersFinished);
    return undefined;
  } catch (cause) {
    return { closing: closingOf(cause), cause };
  }
}

/** Closes a run, also one that was cancelled, and shows its report; null for a run that was never opened. */
export async function close(view: RunView, closing: Closing): Promise<RunReport | null> {
  const { run_id: runId } = view.progress;
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

/** The failure of a run that was not even opened: an unknown sync, a store that is away. */
function openFailure({ failure }: Closing): ApplicationFailure {
  const { code = "Unexpected", message = "the run was not opened", hint } = failure ?? {};
  return ApplicationFailure.nonRetryable(textOf({ message, hint }), code);
}

/** The failure of a run that was opened and did not end well; its report travels as the failure's detail. */
function runFailure(report: RunReport): ApplicationFailure {
  const { message = `the run ended as ${report.outcome}`, hint, code } = report.error ?? {};
  return ApplicationFailure.nonRetryable(textOf({ message, hint }), code ?? "Unexpected", report);
}

/**
 * Closes a run and ends its workflow with the report.
 * @throws {ApplicationFailure} the run failed, or was never opened. @throws the cancellation that ended it.
 */
export async function end(view: RunView, { closing, cause }: Ending): Promise<RunReport> {
  const report = await close(view, closing);
  await condition(allHandlersFinished);
  if (isCancellation(cause)) throw cause;
  if (report === null) throw openFailure(closing);
  if (report.outcome === "failed") throw runFailure(report);
  return report;
}
