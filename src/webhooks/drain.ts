import type { Client, WorkflowStartOptions } from "@temporalio/client";

import type { inboxDrain } from "../../workflows/inbox/inbox-drain.ts";
import { projectWorkflowId } from "../config/task-queue.ts";
import { wakeCallMsMax } from "../limits.ts";

/** A connection whose events are to be sent, and the task queue of its project. */
export type Draining = { readonly connection: string; readonly taskQueue: string };

/**
 * The id of the workflow that drains a connection; two projects on one server never share it, because no name
 * holds an @.
 */
export function drainId({ connection, taskQueue }: Draining): string {
  return projectWorkflowId(`inbox-${connection}`, taskQueue);
}

type DrainOptions = Pick<
  WorkflowStartOptions<typeof inboxDrain>,
  "args" | "taskQueue" | "workflowId"
>;

function optionsOf(draining: Draining): DrainOptions {
  const { connection, taskQueue } = draining;
  return { taskQueue, workflowId: drainId(draining), args: [{ connection }] };
}

/**
 * Signals to the drain of a connection that events came; starts it unless it runs. The signal holds no events (I4).
 * @throws Temporal does not take it in time.
 */
export async function wakeDrain(client: Client, draining: Draining): Promise<void> {
  await client.withDeadline(Date.now() + wakeCallMsMax, async () => {
    const options = { ...optionsOf(draining), signal: "wake" };
    await client.workflow.signalWithStart<typeof inboxDrain>("inboxDrain", options);
  });
}

/**
 * Starts the drain of a connection, but leaves a running one alone: it looks again before it ends.
 * @throws Temporal does not take it in time.
 */
export async function startDrain(client: Client, draining: Draining): Promise<void> {
  await client.withDeadline(Date.now() + wakeCallMsMax, async () => {
    const workflowIdConflictPolicy = "USE_EXISTING";
    const options = { ...optionsOf(draining), workflowIdConflictPolicy } as const;
    await client.workflow.start<typeof inboxDrain>("inboxDrain", options);
  });
}
