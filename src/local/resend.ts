import type { Client } from "@temporalio/client";

import type { resend } from "../../workflows/sync/resend.ts";
import { projectWorkflowId } from "../config/task-queue.ts";
import { wakeCallMsMax } from "../limits.ts";

/**
 * The id of the workflow that sends the records of a sync that are in doubt. Two projects on one server never share
 * it, because no name contains an @.
 */
function resendId(sync: string, taskQueue: string): string {
  return projectWorkflowId(`resend-${sync}`, taskQueue);
}

/**
 * Starts the workflow `resend` of a sync. A running one is signalled, so that it looks again before it ends.
 * @throws Temporal does not take it in time.
 */
export async function startResend(
  client: Client,
  { taskQueue }: { readonly taskQueue: string },
  sync: string,
): Promise<void> {
  await client.withDeadline(Date.now() + wakeCallMsMax, async () => {
    await client.workflow.signalWithStart<typeof resend>("resend", {
      taskQueue,
      workflowId: resendId(sync, taskQueue),
      args: [{ sync }],
      signal: "wake",
    });
  });
}
