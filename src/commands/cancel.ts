import { setTimeout as delay } from "node:timers/promises";

import { WorkflowNotFoundError, type Client, type WorkflowHandle } from "@temporalio/client";

import type { Config } from "../config/config.ts";
import { ConfigError } from "../errors.ts";
import { storesOn } from "../local/presence.ts";
import type { Run } from "../state/runs.ts";
import type { StateStore } from "../state/state-store.ts";
import {
  configOf,
  withGlobals,
  withState,
  type Context,
  type GlobalOptions,
  type Register,
} from "./context.ts";
import { exitCodes } from "./exit-code.ts";
import { onInterrupt } from "./interrupt.ts";
import { reachTemporal } from "./reach-temporal.ts";
import { runNamed } from "./run-named.ts";
import { isTemporalConfigured } from "./services.ts";
import { openSession } from "./session.ts";

/** What is to stop: a run that goes on, or a workflow that has none yet, as one that plans a backfill. */
type Wanted = Pick<Run, "workflowId"> & Partial<Pick<Run, "firstRunId" | "sync">>;

/** The configuration, and the store that its workers work on. */
type Project = { readonly config: Config; readonly storeId: string };

/** How often it is looked whether the run has ended. */
const lookEveryMs = 200;

const hint = "look at `sluice runs list`";

/** @throws {ConfigError} the run of that name has ended. */
async function wantedNamed(state: StateStore, name: string): Promise<Wanted> {
  const run = await runNamed(state, name);
  if (run === undefined) return { workflowId: name };
  if (run.outcome === null) return run;
  throw new ConfigError(`run ${run.runId} has ended: ${run.outcome}`, { hint });
}

/** Asks for the cancel. @throws {ConfigError} no such workflow of this project goes on. */
async function ask(
  client: Client,
  { workflowId, firstRunId, sync }: Wanted,
  taskQueue: string,
): Promise<WorkflowHandle> {
  const chain = firstRunId === undefined ? {} : { firstExecutionRunId: firstRunId };
  const handle = client.workflow.getHandle(workflowId, undefined, chain);
  try {
    // What no run of the store says is ours may be another project's.
    if (sync !== undefined || (await handle.describe()).taskQueue === taskQueue) {
      await handle.cancel();
      return handle;
    }
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
  throw sync === undefined
    ? new ConfigError(`there is no run "${workflowId}"`, { hint })
    : new ConfigError(`workflow ${workflowId} does not go on any more: it was ended from outside`, {
        hint: `the next run of ${sync} notes its run as abandoned`,
      });
}

/**
 * Asks at the Temporal that this project uses; nothing is started.
 * @returns false where no worker of the project is there to stop the run, and none will come by itself: nothing was asked then.
 */
async function askWorkers(wanted: Wanted, project: Project, context: Context): Promise<boolean> {
  const { taskQueue } = project.config.temporal;
  const temporal = await reachTemporal(project.config, context);
  if (temporal === undefined) return false;
  try {
    const hasWorker = (await storesOn(temporal.client, taskQueue)).includes(project.storeId);
    if (!hasWorker && !isTemporalConfigured(context)) return false;
    await ask(temporal.client, wanted, taskQueue);
    if (!hasWorker)
      context.say(`no worker of this project polls ${taskQueue}: the run ends once one does`);
    return true;
  } finally {
    await temporal.close();
  }
}

/** Starts what the run needs to stop, and waits for its end. @returns whether it ended before somebody pressed Ctrl-C. */
async function stopHere(wanted: Wanted, { config }: Project, context: Context): Promise<boolean> {
  const { signal } = onInterrupt();
  const opening = openSession(config, context, { signal, isPinged: false });
  const session = await opening.catch((error: unknown) => {
    if (signal.aborted) return undefined;
    throw error;
  });
  if (session === undefined) return false;
  try {
    const handle = await ask(session.client, wanted, config.temporal.taskQueue);
    while (!signal.aborted) {
      if ((await handle.describe()).status.name !== "RUNNING") return true;
      await delay(lookEveryMs);
    }
    return false;
  } finally {
    await session.close();
  }
}

/** `sluice cancel <run>`. */
export const registerCancel: Register = (program, context) => {
  withGlobals(program.command("cancel <run>"))
    .description("stop a run cleanly; what was accepted stays committed")
    .action(async (name: string, options: GlobalOptions) => {
      const config = await configOf(context, options);
      const { wanted, storeId } = await withState(config, async (state) => {
        return { wanted: await wantedNamed(state, name), storeId: state.storeId };
      });
      const project = { config, storeId };
      const { workflowId } = wanted;
      const isAsked = await askWorkers(wanted, project, context);
      if (!isAsked && !(await stopHere(wanted, project, context))) {
        context.say("interrupted; the next worker stops it");
        return context.exit(exitCodes.interrupted);
      }
      const text = isAsked ? `asked ${workflowId} to stop` : `${workflowId} has stopped`;
      context.print(options.json ? JSON.stringify({ workflow_id: workflowId }) : text);
    });
};
