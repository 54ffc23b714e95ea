import {
  ApplicationFailure,
  continueAsNew,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from "@temporalio/workflow";
import { z } from "zod";

import { resendLookMs, resendPauseMsMax } from "../src/limits.ts";
import { wrongInput } from "../src/wrong-input.ts";
import { close } from "./ending.ts";
import { lookForDoubts } from "./policies.ts";
import { progressOf, runBatch, type BatchEnd } from "./run-batch.ts";
import { RunView } from "./run-view.ts";
import { configuredName, newRunId } from "./sync-input.ts";

const resendInput = z.strictObject({ sync: configuredName("sync") });

/** Makes one run that sends what is in doubt; answers whether it did. @throws a cancellation. */
async function resendOnce(sync: string): Promise<boolean> {
  const { firstExecutionRunId } = workflowInfo();
  const runId = newRunId(sync, { startTime: new Date(), firstExecutionRunId }, true);
  const view = new RunView(progressOf(runId, sync, undefined));
  const ask = { kind: "resend", request: {} } as const;
  let ended: BatchEnd = await runBatch({ view, ask, continued: undefined });
  while (ended.kind === "continue") {
    ended = await runBatch({ view, ask, continued: ended.continued });
  }
  await close(view, ended.closing);
  if (ended.closing.outcome === "cancelled") throw ended.cause;
  return ended.closing.outcome === "done";
}

/**
 * Sends once more the records of a sync over which an older request may have been applied, when nothing older can be applied any more; it
 * waits until then and ends when none is left. The next run of the sync does the same, so that cancelling this loses nothing.
 */
export async function resend(raw: unknown): Promise<object> {
  const { data, error } = resendInput.safeParse(raw);
  if (error !== undefined) {
    const problem = wrongInput(error, { sync: "accounts" });
    throw ApplicationFailure.nonRetryable(problem, "InvalidInput");
  }
  const { sync } = data;
  for (let failures = 0; ;) {
    const { inDoubt, due, waitMs = resendLookMs } = await lookForDoubts({ sync });
    if (inDoubt === 0) return {};
    const hasFailed = due > 0 && !(await resendOnce(sync));
    failures = hasFailed ? failures + 1 : 0;
    if (workflowInfo().continueAsNewSuggested) return await continueAsNew<typeof resend>({ sync });
    setCurrentDetails(
      `An older value may still be applied over ${inDoubt} records of ${sync}: they are sent once more when that is over.`,
    );
    const pauseMs = hasFailed ? Math.min(resendPauseMsMax, resendLookMs * failures) : 0;
    await sleep(Math.max(1_000, due > 0 ? pauseMs : waitMs));
  }
}
