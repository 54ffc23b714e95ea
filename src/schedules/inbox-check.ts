import { ScheduleAlreadyRunning, ScheduleOverlapPolicy, type Client } from "@temporalio/client";

import type { inboxCheck } from "../../workflows/inbox/inbox-check.ts";
import { messageOf } from "../errors.ts";
import { inboxCheckScheduleId } from "./ids.ts";
import { inboxCheckEveryMs } from "./limits.ts";
import type { Owner } from "./temporal-schedule.ts";

const noInput: [] = [];

/**
 * Checks the inboxes of a task queue now, and every minute from now on. For a worker or receiver that starts.
 * Creates the schedule if it is missing; one that a person paused stays paused; reverts other changes made by hand.
 */
export async function scheduleInboxCheck(
  client: Client,
  { taskQueue, storeId }: Owner,
): Promise<void> {
  const scheduleId = inboxCheckScheduleId(taskQueue);
  const options = {
    spec: { intervals: [{ every: inboxCheckEveryMs }] },
    action: {
      type: "startWorkflow" as const,
      workflowType: "inboxCheck",
      workflowId: scheduleId,
      taskQueue,
      args: noInput,
      memo: { sluice_store: storeId },
    },
    policies: {
      overlap: ScheduleOverlapPolicy.SKIP,
      // Checks missed while Temporal was away are not made up for: the next one finds everything.
      catchupWindow: inboxCheckEveryMs,
    },
  };
  try {
    const state = { triggerImmediately: true };
    await client.schedule.create<typeof inboxCheck>({ scheduleId, ...options, state });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const handle = client.schedule.getHandle(scheduleId);
    await handle.update<typeof inboxCheck>(({ state: { paused, note } }) => ({
      ...options,
      // Drops the limit on remaining runs: once it was used up, nothing would be checked any more.
      state: { paused, note },
    }));
    await handle.trigger();
  }
}

/** `scheduleInboxCheck` for a worker: if it may not create schedules, it works all the same, and logs that. */
export async function keepInboxesChecked(
  client: Client,
  owner: Owner,
  log: { warn(facts: object, text: string): void },
): Promise<void> {
  try {
    await scheduleInboxCheck(client, owner);
  } catch (error) {
    const text = "no schedule checks the inboxes: an event whose wake-up is lost stays unsent";
    log.warn({ why: messageOf(error) }, text);
  }
}
