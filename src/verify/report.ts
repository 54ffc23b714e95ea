import type { RunFailure } from "../state/contract/runs/runs.ts";
import type { Choice } from "./choose.ts";
import { summaryOf, type VerifySummary } from "./summary.ts";
import type { Verification } from "./verify.ts";

/** The result of a scheduled lookup: only counts and names of fields, because Temporal keeps it. */
export type VerifyReport = VerifySummary & {
  readonly sync: string;
  readonly seed: number;
  /** Records read from the source. */
  readonly read: number;
  /** The code of the error that stopped it; undefined if nothing did. */
  readonly stopped?: string | undefined;
};

/** A scheduled lookup that failed. */
export type FailedVerify = { readonly sync: string; readonly error: RunFailure };

/** Makes the report of a lookup. */
export function verifyReport(
  sync: string,
  { seed }: Extract<Choice, { readonly seed: number }>,
  { chosen, looked }: Verification,
): VerifyReport {
  const { read } = chosen;
  return { sync, seed, read, ...summaryOf(looked), stopped: looked.stopped?.code };
}

/** Whether a person should look at it. */
export function isWorthTelling({ counts, stopped }: VerifyReport): boolean {
  return counts.missing + counts.differs + counts.unanswered > 0 || stopped !== undefined;
}
