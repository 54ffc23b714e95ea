import {
  ApplicationFailure,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from "@temporalio/workflow";
import { z } from "zod";

import type { DoubtLook } from "../../activities/run/settle-doubts.ts";
import { wrongInput } from "../../src/failure-types.ts";
import { nextLook } from "../backoff.ts";
import { close } from "../ending.ts";
import { lookForDoubts } from "../policies.ts";
import { wake } from "../wake.ts";
import { progressOf, runBatch, type BatchEnd } from "./run-batch.ts";
import { RunView } from "./run-view.ts";
import { configuredName, newRunId } from "./sync-input.ts";

const resendInput = z.strictObject({ sync: configuredName("sync") });

/** Makes one run that sends the records in doubt. @throws a cancellation. */
async function resendOnce(sync: string): Promise<void> {
  const { firstExecutionRunId } = workflowInfo();
  const runId = newRunId(sync, { startTime: new Date(), firstExecutionRunId }, true);
  const view = new RunView(progressOf(runId, sync, undefined));
  const wanted = { kind: "resend", request: {} } as const;
  let ended: BatchEnd = await runBatch({ view, wanted, continued: undefined });
  while (ended.kind === "continue") {
    ended = await runBatch({ view, wanted, continued: ended.continued });
  }
  await close(view, ended.closing);
  if (ended.closing.outcome === "cancelled") throw ended.cause;
}

/**
 * Sends again the records of a sync over which an older request may have been applied, once none can be applied any
 * more. It waits until then, and ends when no record is in doubt. The next run of the sync does the same, so that
 * cancelling this loses nothing.
 */
export async function resend(raw: unknown): Promise<object> {
  let hasWakeUp = false;
  setHandler(wake, () => void (hasWakeUp = true), {
    description: "Something is in doubt: look again",
  });
  const { data, error } = resendInput.safeParse(raw);
  if (error !== undefined) {
    const problem = wrongInput(error, { sync: "accounts" });
    throw ApplicationFailure.nonRetryable(problem, "InvalidInput");
  }
  const { sync } = data;
  const doubts = async (): Promise<DoubtLook> => {
    hasWakeUp = false;
    return await lookForDoubts({ sync });
  };
  for (let failures = 0; ;) {
    const before = await doubts();
    if (before.due > 0) await resendOnce(sync);
    const after = before.due > 0 ? await doubts() : before;
    const next = nextLook(before, after, failures);
    failures = next.failures;
    if (after.inDoubt === 0) {
      if (hasWakeUp) continue;
      // Nothing is awaited from here on: a signal meanwhile makes the server repeat this decision.
      return {};
    }
    if (workflowInfo().continueAsNewSuggested) return await continueAsNew<typeof resend>({ sync });
    setCurrentDetails(
      `An older value may still be applied over ${after.inDoubt} records of ${sync}: they are sent once more ` +
        "when that is over.",
    );
    await sleep(next.pauseMs);
  }
}
