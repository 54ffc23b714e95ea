import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowStartOptions,
} from "@temporalio/client";

import type { notify } from "../../workflows/notify.ts";
import { notificationId, type NotifyInput } from "../notify/receivers.ts";

/** How long Temporal may take to accept a notification; the end of its run waits this long. */
const notifyStartMsMax = 5_000;

/** Starts the workflow that announces a run, unless it exists already. @throws Temporal does not take it in time. */
export async function startNotifying(
  client: Client,
  { taskQueue }: { readonly taskQueue: string },
  input: NotifyInput,
): Promise<void> {
  const workflow = {
    taskQueue,
    workflowId: notificationId(input.run_id, input.hold),
    workflowIdReusePolicy: "REJECT_DUPLICATE",
    args: [input],
  } satisfies WorkflowStartOptions<typeof notify>;
  try {
    await client.withDeadline(
      Date.now() + notifyStartMsMax,
      async () => await client.workflow.start<typeof notify>("notify", workflow),
    );
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/**
 * Waits until the notification with this workflow id is delivered or abandoned, or `signal` aborts. Returns whether it
 * is still on its way.
 */
export async function isStillNotifying(
  client: Client,
  workflowId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const handle = client.workflow.getHandle<typeof notify>(workflowId);
  try {
    await client.withAbortSignal(signal, async () => await handle.result());
    return false;
  } catch (error) {
    // An abandoned notification is a warning of the run. Any other error, as of a lost connection, says nothing of it.
    return !(error instanceof WorkflowFailedError || error instanceof WorkflowNotFoundError);
  }
}
