import {
  ApplicationFailure,
  isCancellation,
  setCurrentDetails,
  workflowInfo,
} from "@temporalio/workflow";
import { z } from "zod";

import type { SyncVerified } from "../../activities/verify/inputs.ts";
import { wrongInput } from "../../src/failure-types.ts";
import { verifyLines } from "../../src/text/verified-lines.ts";
import type { FailedVerify, VerifyReport } from "../../src/verify/report.ts";
import { asCancel, closingOf } from "../ending.ts";
import { tellVerified, verifyReceivers, verifySync } from "../policies.ts";
import { configuredName } from "../sync/sync-input.ts";

const verifyInput = z.strictObject({ sync: configuredName("sync") });

/** The day, as in 20261126: each look draws other records, and `sluice verify --seed` the same ones. */
function seedOf(startTime: Date): number {
  return Number(startTime.toISOString().slice(0, 10).replaceAll("-", ""));
}

/** Shows what a look found, and tells the receivers: one that is away keeps the others from nothing. */
async function tell(
  report: FailedVerify | VerifyReport,
  targets: readonly string[],
): Promise<void> {
  const { startTime, workflowId } = workflowInfo();
  const notice = { report, workflowId, at: startTime.toISOString() };
  await Promise.all(targets.map(async (target) => await tellVerified({ target, ...notice })));
}

/** Tells of a look that failed; what ended it stays what ends the workflow, whoever hears of it. */
async function tellFailed(sync: string, error: unknown): Promise<void> {
  const { failure } = closingOf(error);
  if (failure === undefined) return;
  const report = { sync, error: failure };
  setCurrentDetails(verifyLines(report).join("\n\n"));
  await verifyReceivers()
    .then(async (targets) => await tell(report, targets))
    .catch(() => undefined);
}

async function lookOf(sync: string): Promise<SyncVerified> {
  try {
    return await verifySync({ sync, seed: seedOf(workflowInfo().startTime) });
  } catch (error) {
    const cause = asCancel(error);
    if (!isCancellation(cause)) await tellFailed(sync, cause);
    throw cause;
  }
}

/**
 * Looks up a sample of what a sync has sent in the service, once, and tells the receivers what it found. Started by the
 * schedule of the sync's `verify:`.
 */
export async function verify(raw: unknown): Promise<VerifyReport> {
  const { data, error } = verifyInput.safeParse(raw ?? {});
  if (error !== undefined) {
    const problem = wrongInput(error, { sync: "accounts" });
    throw ApplicationFailure.nonRetryable(problem, "InvalidInput");
  }
  const { report, targets } = await lookOf(data.sync);
  setCurrentDetails(verifyLines(report).join("\n\n"));
  await tell(report, targets);
  return report;
}
