import type { Client } from "@temporalio/client";

import { sweepScheduleId } from "../../src/schedules/ids.ts";
import { until } from "./process/process.ts";

/** Has a sweep of the inboxes be made, and waits for its end. */
export async function sweep(client: Client): Promise<void> {
  const handle = client.schedule.getHandle(sweepScheduleId("sluice"));
  const before = (await handle.describe()).info.numActionsTaken;
  await handle.trigger();
  const made = await until(async () => {
    const { numActionsTaken, recentActions } = (await handle.describe()).info;
    return numActionsTaken > before && recentActions.at(-1);
  });
  // By its own id: what runs, Temporal's lists say a moment later.
  const { workflowId, firstExecutionRunId } = made.action.workflow;
  await client.workflow.getHandle(workflowId, firstExecutionRunId).result();
}
