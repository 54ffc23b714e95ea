import { ApplicationFailure, isCancellation } from "@temporalio/workflow";
import { z } from "zod";

import type { NotificationRef } from "../activities/inputs.ts";
import { wrongInput } from "../src/failure-types.ts";
import { notifyTargetsMax } from "../src/limits.ts";
import type { NotifyInput } from "../src/notify/receivers.ts";
import { faultOf } from "./failures.ts";
import { recordUndelivered, postNotification } from "./policies.ts";

const notifyInput: z.ZodType<NotifyInput> = z.strictObject({
  run_id: z.string().min(1).max(200),
  /** Names of receivers, as the configuration makes them. */
  targets: z.array(z.string().min(1).max(300)).min(1).max(notifyTargetsMax),
  hold: z.int().positive().optional(),
});

/** Notifies one receiver; returns why that failed, or undefined. */
async function tell(notification: NotificationRef): Promise<string | undefined> {
  const { runId, target } = notification;
  try {
    await postNotification.executeWithOptions({ summary: target }, [notification]);
    return undefined;
  } catch (error) {
    if (isCancellation(error)) throw error;
    const why = faultOf(error)?.message ?? String(error);
    await recordUndelivered({ runId, target, why });
    return why;
  }
}

/**
 * Notifies the receivers of a run that it ended, each for about an hour if need be. It is a workflow of its own,
 * started by whoever ends the run: a receiver that is away costs the run nothing, and an undelivered notification shows
 * red in the Web UI.
 */
export async function notify(raw: unknown): Promise<void> {
  const parsed = notifyInput.safeParse(raw ?? {});
  if (!parsed.success) {
    throw ApplicationFailure.nonRetryable(wrongInput(parsed.error), "InvalidInput");
  }
  const { run_id: runId, targets, hold } = parsed.data;
  const told = await Promise.all(
    targets.map(async (target) => await tell({ runId, target, hold })),
  );
  const faults = told.filter((why) => why !== undefined);
  if (faults.length > 0) throw ApplicationFailure.nonRetryable(faults.join("; "), "Unavailable");
}
