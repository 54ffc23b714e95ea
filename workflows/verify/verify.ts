import { ApplicationFailure, setCurrentDetails, workflowInfo } from "@temporalio/workflow";
import { z } from "zod";

import { wrongInput } from "../../src/failure-types.ts";
import { verifyLines } from "../../src/text/verified-lines.ts";
import type { VerifyReport } from "../../src/verify/report.ts";
import { tellVerified, verifySync } from "../policies.ts";
import { configuredName } from "../sync/sync-input.ts";

const verifyInput = z.strictObject({ sync: configuredName("sync") });

/** The day, as in 20261126: each look draws other records, and `sluice verify --seed` the same ones. */
function seedOf(startTime: Date): number {
  return Number(startTime.toISOString().slice(0, 10).replaceAll("-", ""));
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
  const { startTime, workflowId } = workflowInfo();
  const { report, targets } = await verifySync({ sync: data.sync, seed: seedOf(startTime) });
  setCurrentDetails(verifyLines(report).join("\n\n"));
  const at = startTime.toISOString();
  // A receiver that is away keeps the others from nothing; what was found is in the details.
  await Promise.all(
    targets.map(async (target) => await tellVerified({ target, report, workflowId, at })),
  );
  return report;
}
