import { setTimeout as delay } from "node:timers/promises";

import type { Progress } from "../../workflows/progress.ts";
import type { sync } from "../../workflows/sync.ts";
import type { Config } from "../config/config.ts";
import { statusTemporalMsMax } from "../limits.ts";
import { isWorkflowOpen, type TemporalClient } from "../local/connect.ts";
import type { ScheduleState } from "../schedules/missed.ts";
import { scheduleState } from "../schedules/schedule-state.ts";
import type { Run } from "../state/runs.ts";
import type { Context } from "./context.ts";
import { pendingTrouble } from "./pending.ts";
import { reachTemporal } from "./reach-temporal.ts";

/** What Temporal knows of a run that has not ended. */
export type OpenRun = {
  /** False: nobody goes on with it. */
  readonly isWorkflowOpen: boolean;
  /** What it waits for, in a line; undefined while it moves, or while no worker runs that could tell. */
  readonly waiting: string | undefined;
};

/** What Temporal tells of a project; what it does not tell in time is missing. */
export type Told = {
  /** By the run's id. */
  readonly runs: ReadonlyMap<string, OpenRun>;
  /** By the name of the sync or pull. */
  readonly schedules: ReadonlyMap<string, ScheduleState>;
};

async function askRun({ client }: TemporalClient, run: Run): Promise<OpenRun> {
  if (!(await isWorkflowOpen(client, run))) return { isWorkflowOpen: false, waiting: undefined };
  const handle = client.workflow.getHandle<typeof sync>(run.workflowId);
  const trouble = pendingTrouble(handle).catch(() => undefined);
  const progress = handle.query<Progress>("progress").catch(() => undefined);
  const waiting = (await progress)?.waiting ?? (await trouble);
  return { isWorkflowOpen: true, waiting };
}

/** Asks Temporal about open runs and about schedules, for `statusTemporalMsMax` in all. */
export async function askTemporal(
  asked: { readonly runs: readonly Run[]; readonly scheduled: readonly string[] },
  config: Config,
  context: Context,
): Promise<Told> {
  const [runs, schedules] = [new Map<string, OpenRun>(), new Map<string, ScheduleState>()];
  if (asked.runs.length + asked.scheduled.length === 0) return { runs, schedules };
  const signal = AbortSignal.timeout(statusTemporalMsMax);
  const reaching = reachTemporal(config, context).catch(() => undefined);
  const late = delay(statusTemporalMsMax, undefined, { ref: false });
  const temporal = await Promise.race([reaching, late]);
  // One that comes too late is closed when it comes.
  if (temporal === undefined) void reaching.then(async (found) => await found?.close());
  await temporal?.client.withAbortSignal(signal, async () => {
    const { client, isFound } = temporal;
    const { taskQueue } = config.temporal;
    const asking = [
      ...asked.runs.map(async (run) => runs.set(run.runId, await askRun(temporal, run))),
      // Another project's, perhaps: it would say of our schedules that there are none.
      ...(isFound ? [] : asked.scheduled).map(async (name) =>
        schedules.set(name, await scheduleState(client, taskQueue, name)),
      ),
    ];
    await Promise.allSettled(asking);
  });
  await temporal?.close();
  return { runs, schedules };
}
