import { setTimeout as delay } from "node:timers/promises";

import type { Progress } from "../../workflows/progress.ts";
import type { sync } from "../../workflows/sync.ts";
import type { Config } from "../config/config.ts";
import { statusTemporalMsMax } from "../limits.ts";
import { connectTemporal, isWorkflowOpen, type TemporalClient } from "../local/connect.ts";
import { findService } from "../local/shared-service.ts";
import { temporalAnswers } from "../local/temporal-server.ts";
import type { Run } from "../state/runs.ts";
import type { Context } from "./context.ts";
import { pendingTrouble } from "./pending.ts";
import { defaultTemporal, isTemporalConfigured } from "./services.ts";

/** What Temporal knows of a run that has not ended. */
export type OpenRun = {
  /** False: nobody goes on with it. */
  readonly isWorkflowOpen: boolean;
  /** What it waits for, in a line; undefined while it moves, or while no worker runs that could tell. */
  readonly waiting: string | undefined;
};

/** Connects to the Temporal that a run of this project would use, where it answers; nothing is started. */
async function reach(
  { stateFolder }: Config,
  context: Context,
): Promise<TemporalClient | undefined> {
  if (isTemporalConfigured(context)) return await connectTemporal(undefined);
  const embedded = findService({ folder: stateFolder, name: "temporal" })?.addresses["grpc"];
  if (embedded !== undefined) return await connectTemporal(embedded);
  const isThere = await temporalAnswers(defaultTemporal);
  return isThere ? await connectTemporal(defaultTemporal) : undefined;
}

async function ask({ client }: TemporalClient, run: Run): Promise<OpenRun> {
  if (!(await isWorkflowOpen(client, run))) return { isWorkflowOpen: false, waiting: undefined };
  const handle = client.workflow.getHandle<typeof sync>(run.workflowId);
  const trouble = pendingTrouble(handle).catch(() => undefined);
  const progress = handle.query<Progress>("progress").catch(() => undefined);
  const waiting = (await progress)?.waiting ?? (await trouble);
  return { isWorkflowOpen: true, waiting };
}

/** Asks Temporal about open runs, for `statusTemporalMsMax` in all; a run it says nothing of is missing in the answer. */
export async function askOpenRuns(
  runs: readonly Run[],
  config: Config,
  context: Context,
): Promise<ReadonlyMap<string, OpenRun>> {
  const known = new Map<string, OpenRun>();
  if (runs.length === 0) return known;
  const signal = AbortSignal.timeout(statusTemporalMsMax);
  const reaching = reach(config, context).catch(() => undefined);
  const late = delay(statusTemporalMsMax, undefined, { ref: false });
  const temporal = await Promise.race([reaching, late]);
  // One that comes too late is closed when it comes.
  if (temporal === undefined) void reaching.then(async (found) => await found?.close());
  await temporal?.client.withAbortSignal(signal, async () => {
    const asking = runs.map(async (run) => known.set(run.runId, await ask(temporal, run)));
    await Promise.allSettled(asking);
  });
  await temporal?.close();
  return known;
}
