import { CommanderError } from "commander";

import {
  ApiUnavailableError,
  OutcomeUnknownError,
  SluiceError,
  StateUnavailableError,
  TemporalUnreachableError,
  thrownFirst,
} from "../../errors.ts";
import type { RunReport } from "../../report/report.ts";
import type { Output } from "./context.ts";

/** Exit codes of the command line. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  doneWithRejects: 3,
  unreachable: 4,
  held: 5,
  interrupted: 130,
} as const;

const fromBestToWorst: readonly number[] = [
  exitCodes.done,
  exitCodes.doneWithRejects,
  exitCodes.held,
  exitCodes.failed,
  exitCodes.usage,
  exitCodes.unreachable,
  exitCodes.interrupted,
];

/** The worse of two exit codes. */
export function worstOf(one: number, other: number): number {
  return fromBestToWorst.indexOf(one) > fromBestToWorst.indexOf(other) ? one : other;
}

/** The same context, except that the worst of the given exit codes counts, not the last. */
export function keepWorst<Exiting extends Pick<Output, "exit">>(context: Exiting): Exiting {
  let worst: number = exitCodes.done;
  const exit = (code: number): void => {
    worst = worstOf(worst, code);
    context.exit(worst);
  };
  return { ...context, exit };
}

/** Codes of errors that a setting fixes. */
const usageCodes: ReadonlySet<string> = new Set(["ConfigError", "InvalidInput", "AuthFailed"]);

const unreachable = [ApiUnavailableError, OutcomeUnknownError, TemporalUnreachableError];

/** The exit code for an error: the kind of fault decides who has to act. */
export function exitCodeOfError(thrown: unknown): number {
  const error = thrownFirst(thrown);
  if (error instanceof CommanderError) return exitCodes.usage;
  if (!(error instanceof SluiceError)) return exitCodes.failed;
  if (error instanceof StateUnavailableError) {
    // Whoever keeps this machine fixes a full, read-only or damaged state folder, as with a setting.
    return error.isAway ? exitCodes.unreachable : exitCodes.usage;
  }
  if (usageCodes.has(error.code)) return exitCodes.usage;
  return unreachable.some((Class) => error instanceof Class)
    ? exitCodes.unreachable
    : exitCodes.failed;
}

/** The exit code of a run that ended. */
export function exitCodeOfReport({ outcome, error }: RunReport): number {
  if (outcome === "done") return exitCodes.done;
  if (outcome === "done_with_rejects") return exitCodes.doneWithRejects;
  if (outcome === "held") return exitCodes.held;
  return usageCodes.has(error?.code ?? "") ? exitCodes.usage : exitCodes.failed;
}
