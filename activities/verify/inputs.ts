import type { FailedVerify, VerifyReport } from "../../src/verify/report.ts";

/** Input of `verifySync`. */
export type VerifyInput = { readonly sync: string; readonly seed: number };

/** What a look found, and the receivers that are to hear of it, by their names. */
export type SyncVerified = { readonly report: VerifyReport; readonly targets: readonly string[] };

/** Input of `tellVerified`: the report is counts and names. */
export type VerifiedNotice = {
  readonly target: string;
  /** Of a look that ended before it could say anything: why. */
  readonly report: FailedVerify | VerifyReport;
  /** The workflow that looked: a repeated delivery is known by it. */
  readonly workflowId: string;
  /** When it began; ISO 8601. */
  readonly at: string;
};
