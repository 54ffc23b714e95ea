import type { FailedVerify, VerifyReport } from "../../src/verify/report.ts";

/** Input of `verifySync`. */
export type VerifyInput = { readonly sync: string; readonly seed: number };

/** The result of a verification, and the names of the receivers to notify. */
export type SyncVerified = { readonly report: VerifyReport; readonly targets: readonly string[] };

/** Input of `tellVerified`: the report is counts and names. */
export type VerifiedNotice = {
  readonly target: string;
  /** For a verification that ended before it could say anything: why. */
  readonly report: FailedVerify | VerifyReport;
  /** The workflow that verified; a repeated delivery is recognized by it. */
  readonly workflowId: string;
  /** When it began; ISO 8601. */
  readonly at: string;
};
