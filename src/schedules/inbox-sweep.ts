import { ScheduleAlreadyRunning, ScheduleOverlapPolicy, type Client } from "@temporalio/client";

import type { inboxSweep } from "../../workflows/inbox/inbox-sweep.ts";
import { sweepScheduleId } from "./ids.ts";
import { sweepEveryMs } from "./limits.ts";
import type { Owner } from "./temporal-schedule.ts";

const noInput: [] = [];

/**
 * Has the inboxes of a task queue swept now, and every minute from now on. For a worker or receiver that starts: it is made where
 * there is none, and one that a person paused stays so.
 */
export async function scheduleSweep(client: Client, { taskQueue, storeId }: Owner): Promise<void> {
  const scheduleId = sweepScheduleId(taskQueue);
  const options = {
    spec: { intervals: [{ every: sweepEveryMs }] },
    action: {
      type: "startWorkflow" as const,
      workflowType: "inboxSweep",
      workflowId: scheduleId,
      taskQueue,
      args: noInput,
      memo: { sluice_store: storeId },
    },
    policies: {
      overlap: ScheduleOverlapPolicy.SKIP,
      // Sweeps that did not happen while Temporal was away are not made up for: the next one finds everything.
      catchupWindow: sweepEveryMs,
    },
  };
  try {
    const state = { triggerImmediately: true };
    await client.schedule.create<typeof inboxSweep>({ scheduleId, ...options, state });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const handle = client.schedule.getHandle(scheduleId);
    await handle.update<typeof inboxSweep>(({ state }) => ({ ...options, state }));
    await handle.trigger();
  }
}
