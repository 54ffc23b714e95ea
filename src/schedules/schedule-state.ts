import type { Client } from "@temporalio/client";

import { scheduleId } from "./ids.ts";
import { scheduleStateMsMax } from "./limits.ts";
import type { ScheduleState } from "./missed.ts";
import { describeSchedule } from "./plan.ts";

/** What Temporal says of the schedule of a sync or pull. */
export async function scheduleState(
  client: Client,
  taskQueue: string,
  name: string,
): Promise<ScheduleState> {
  const id = scheduleId(taskQueue, name);
  try {
    const describe = async (): ReturnType<typeof describeSchedule> =>
      await describeSchedule(client, id);
    const found = await client.withDeadline(Date.now() + scheduleStateMsMax, describe);
    if (found === undefined) return { kind: "none" };
    const { paused, note } = found.state;
    const { createdAt, lastUpdatedAt: since = createdAt } = found.info;
    return { kind: paused ? "paused" : "on", note, since };
  } catch {
    // A server that does not say, or may not, is no reason to hold up a run.
    return { kind: "unknown" };
  }
}
