import { setTimeout as delay } from "node:timers/promises";

import type { Client } from "@temporalio/client";

import { TemporalUnreachableError } from "../errors.ts";
import { triggerMsMax } from "./limits.ts";

/** How often we check whether Temporal has started the run. */
const askEveryMs = 100;

/**
 * Starts the run of a schedule now, paused or not, and returns its workflow's id once it has started. It starts even
 * next to another run of the same schedule, so that it reports itself that it is busy.
 * @throws {TemporalUnreachableError} Temporal accepted the trigger but did not start the run within `triggerMsMax`.
 */
export async function triggerSchedule(client: Client, id: string): Promise<string> {
  const handle = client.schedule.getHandle(id);
  const started = async (): Promise<
    readonly { workflowId: string; firstExecutionRunId: string }[]
  > => (await handle.describe()).info.recentActions.map(({ action }) => action.workflow);
  const before = new Set((await started()).map((run) => run.firstExecutionRunId));
  await handle.trigger();
  for (const giveUpAt = Date.now() + triggerMsMax; Date.now() < giveUpAt;) {
    const run = (await started()).find(({ firstExecutionRunId: first }) => !before.has(first));
    if (run !== undefined) return run.workflowId;
    await delay(askEveryMs);
  }
  throw new TemporalUnreachableError(`Temporal did not start the run of schedule ${id}`, {
    hint: "look at the schedule in the Web UI",
  });
}
