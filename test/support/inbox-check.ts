import type { Client } from "@temporalio/client";

import { inboxCheckScheduleId } from "../../src/schedules/ids.ts";
import { until } from "./process/process.ts";

/** Triggers a check of the inboxes, and waits for its end. */
export async function check(client: Client): Promise<void> {
  const handle = client.schedule.getHandle(inboxCheckScheduleId("sluice"));
  const before = (await handle.describe()).info.numActionsTaken;
  await handle.trigger();
  const made = await until(async () => {
    const { numActionsTaken, recentActions } = (await handle.describe()).info;
    return numActionsTaken > before && recentActions.at(-1);
  });
  // By its own id: Temporal's lists show running workflows only a moment later.
  const { workflowId, firstExecutionRunId } = made.action.workflow;
  await client.workflow.getHandle(workflowId, firstExecutionRunId).result();
}
