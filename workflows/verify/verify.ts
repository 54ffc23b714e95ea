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

/** The day, as in 20261126: each verification draws other records, and `sluice verify --seed` the same ones. */
function seedOf(startTime: Date): number {
  return Number(startTime.toISOString().slice(0, 10).replaceAll("-", ""));
}

/** Notifies the receivers of a result. One that is away or gone neither holds up the others nor ends their tries. */
async function tell(
  report: FailedVerify | VerifyReport,
  targets: readonly string[],
): Promise<void> {
  const { startTime, workflowId } = workflowInfo();
  const notice = { report, workflowId, at: startTime.toISOString() };
  const telling = targets.map(async (target) => await tellVerified({ target, ...notice }));
  // With the failed workflow Temporal would drop the tries that are left.
  await Promise.allSettled(telling);
  await Promise.all(telling);
}

/** Notifies the receivers of a failed verification. The workflow ends with the original error, whoever was notified. */
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
 * Looks up a sample of what a sync has sent in the service, once, and notifies the receivers of the result. Started by
 * the schedule of the sync's `verify:`.
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
