import { setTimeout as delay } from "node:timers/promises";

import { WorkflowNotFoundError, type WorkflowExecutionDescription } from "@temporalio/client";

import type { Config } from "../../config/config.ts";
import { ConfigError } from "../../errors.ts";
import { refuseOtherTemporal } from "../../hosts/store-guards.ts";
import {
  connectTemporal,
  isOpen,
  isWorkflowOpen,
  type TemporalClient,
} from "../../local/connect.ts";
import { queueNow, storesOn, temporalIdOf } from "../../local/presence.ts";
import { isTemplate } from "../../local/templates.ts";
import type { LockHolder } from "../../state/contract/runs/locks.ts";
import type { Run } from "../../state/contract/runs/runs.ts";
import type { StateStore } from "../../state/state-store.ts";
import { outcomeText } from "../../text/outcome-text.ts";
import {
  configOf,
  withGlobals,
  withState,
  type Context,
  type GlobalOptions,
  type Register,
} from "../output/context.ts";
import { exitCodes } from "../output/exit-code.ts";
import { onInterrupt } from "../output/interrupt.ts";
import { reachTemporal } from "../running/reach-temporal.ts";
import { workersAt } from "../running/right-worker.ts";
import { useEmbeddedTemporal, useTemporal, type TemporalUse } from "../running/services.ts";
import { openSession } from "../running/session.ts";
import { noRun, runNamed, runsHint } from "./run-named.ts";

/** The project that the command works on. */
type Project = {
  readonly config: Config;
  readonly state: StateStore;
  readonly context: Context;
};

/**
 * What to stop. Without an open run it may be a workflow that has none yet: one that plans a backfill, or waits for a
 * worker.
 */
type Wanted = {
  readonly workflowId: string;
  readonly run?: Run;
  /** The newest run of the workflow, if that has ended. */
  readonly ended?: Run;
};

/** A Temporal, and its id as runs store it. */
type Reached = TemporalClient & { readonly temporal: TemporalUse; readonly id: string };

/** A workflow's chain of executions. */
type Chain = Pick<LockHolder, "workflowId" | "firstRunId">;

/** How often to check whether the run has ended. */
const lookEveryMs = 200;

function hasEnded({ runId, outcome }: Run): ConfigError {
  return new ConfigError(`run ${runId} has ended: ${outcomeText(outcome ?? "")}`, {
    hint: runsHint,
  });
}

/** @throws {ConfigError} the name is the id of a run that has ended. */
async function wantedNamed(state: StateStore, name: string): Promise<Wanted> {
  const run = await runNamed(state, name);
  if (run === undefined) return { workflowId: name };
  const { workflowId } = run;
  if (run.outcome === null) return { workflowId, run };
  if (run.runId === name) throw hasEnded(run);
  return { workflowId, ended: run };
}

/** Connects to a Temporal; it is released by `close`, or at once if it does not answer. */
async function reachedAt(temporal: TemporalUse): Promise<Reached> {
  try {
    const { client, close: disconnect } = await connectTemporal(temporal.address);
    const close = async (): Promise<void> => {
      await disconnect();
      await temporal.release();
    };
    return { client, close, temporal, id: await temporalIdOf(client) };
  } catch (error) {
    await temporal.release();
    throw error;
  }
}

/** Whether a worker of this project ran at that Temporal of late, which it may be known by: the worker may be gone. */
async function isKnownToWorkers({ config, state }: Project, temporalId: string): Promise<boolean> {
  const beats = await state.beats({
    nowMs: Date.now(),
    withinMs: config.advanced.hostLostAfterMs,
  });
  return beats.some((beat) => beat.temporalId === temporalId);
}

/**
 * Whether a workflow of this project may have that name: it is like the names that commands and schedules use, or a
 * Temporal runs that may know it.
 */
async function mayBeWorkflow(name: string, project: Project): Promise<boolean> {
  if (/^(?:backfill|pull|sync)-/.test(name)) return true;
  const temporal = await reachTemporal(project.config, project.context);
  if (temporal === undefined) return false;
  try {
    return (
      !temporal.isFound || (await isKnownToWorkers(project, await temporalIdOf(temporal.client)))
    );
  } finally {
    await temporal.close();
  }
}

/**
 * Connects to the Temporal where the run continues, or where one of this project would; starts an embedded one.
 * @throws {ConfigError} the run continues at another.
 */
async function reach({ run }: Wanted, project: Project): Promise<Reached> {
  const { config, context } = project;
  const isHome = async ({ id }: Reached): Promise<boolean> =>
    run === undefined ? await isKnownToWorkers(project, id) : run.temporalId === id;
  const found = await reachedAt(await useTemporal(config, context));
  if (!found.temporal.isFound) return await needHome(found, run);
  if (await isHome(found)) return found;
  // That one only happens to listen, and may be another project's.
  await found.close();
  return await needHome(await reachedAt(await useEmbeddedTemporal(config, context)), run);
}

async function needHome(reached: Reached, run: Run | undefined): Promise<Reached> {
  if (run === undefined || run.temporalId === reached.id) return reached;
  await reached.close();
  throw new ConfigError(`run ${run.runId} continues at another Temporal`, {
    hint: "set TEMPORAL_ADDRESS or TEMPORAL_PROFILE as its worker had them",
  });
}

/** Undefined if there is no such workflow, or it has ended. */
async function openWorkflow(
  { client }: Reached,
  workflowId: string,
): Promise<WorkflowExecutionDescription | undefined> {
  try {
    const found = await client.workflow.getHandle(workflowId).describe();
    return isOpen(found) ? found : undefined;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** Whether a workflow is this project's, if its store knows no open run of it. */
async function isOurs(
  { client, id }: Reached,
  found: WorkflowExecutionDescription,
  project: Project,
): Promise<boolean> {
  const { config, state } = project;
  const { taskQueue } = found;
  if (taskQueue !== config.temporal.taskQueue || isTemplate(found)) return false;
  if (await isKnownToWorkers(project, id)) return true;
  const stores = await storesOn(client, queueNow(config, state));
  return stores.every((store) => store === undefined || store === state.storeId);
}

/** The workflow that was asked to stop. */
type Asked = Chain & {
  /** The task queue where it continues; undefined if that is the project's. */
  readonly elsewhere: string | undefined;
  /** Whether nobody would have received a cancel, so that the workflow was terminated. */
  readonly isEnded: boolean;
  /** Whether somebody paused it in Temporal: until it is unpaused, no worker receives the cancel. */
  readonly isPaused: boolean;
};

/**
 * Asks the workflow to cancel. If nobody would receive that, because the project has another task queue by now,
 * terminates it.
 * @throws {ConfigError} nothing of that name continues.
 */
async function ask(reached: Reached, wanted: Wanted, project: Project): Promise<Asked> {
  const { workflowId, run, ended } = wanted;
  const found = await openWorkflow(reached, workflowId);
  const firstRunId = found?.raw.workflowExecutionInfo?.firstRunId ?? "";
  const isWanted =
    found !== undefined &&
    (run === undefined
      ? await isOurs(reached, found, project)
      : firstRunId === run.firstRunId || firstRunId === "");
  if (isWanted) {
    const chain = firstRunId === "" ? {} : { firstExecutionRunId: firstRunId };
    const handle = reached.client.workflow.getHandle(workflowId, undefined, chain);
    const { taskQueue } = found;
    const elsewhere = taskQueue === project.config.temporal.taskQueue ? undefined : taskQueue;
    const queue = { taskQueue, nowMs: project.state.now() };
    const stores = elsewhere === undefined ? [] : await storesOn(reached.client, queue);
    const isEnded = elsewhere !== undefined && !stores.includes(project.state.storeId);
    await (isEnded ? handle.terminate("sluice cancel: nobody polls its queue") : handle.cancel());
    const isPaused = found.status.name === "PAUSED";
    return { workflowId, firstRunId, elsewhere, isEnded, isPaused };
  }
  if (ended !== undefined) throw hasEnded(ended);
  if (run === undefined) throw noRun(workflowId);
  throw new ConfigError(`run ${run.runId} does not continue: its workflow was ended from outside`, {
    hint: `the next run of ${run.sync} notes it as abandoned`,
  });
}

/** Starts the worker that the run needs to stop, and waits for its end. @returns whether it ended before Ctrl-C. */
async function stopHere(chain: Chain, { config, context }: Project): Promise<boolean> {
  const { signal } = onInterrupt();
  const how = { signal, isPinged: false, command: "cancel" } as const;
  const session = await openSession(config, context, how);
  if (session === undefined) return false;
  try {
    while (!signal.aborted) {
      if (!(await isWorkflowOpen(session.client, chain))) return true;
      await delay(lookEveryMs);
    }
    return false;
  } finally {
    await session.close();
  }
}

/** Says what became of a run that is on another task queue than the project's. */
function tellElsewhere(
  { workflowId, elsewhere = "", isEnded }: Asked,
  { config, context }: Project,
  isJson: boolean | undefined,
): void {
  const text = isEnded ? `ended ${workflowId}` : `asked ${workflowId} to stop`;
  context.print(isJson ? JSON.stringify({ workflow_id: workflowId, stopped: isEnded }) : text);
  const where = `it was on the task queue ${elsewhere}, and ${config.file} names ${config.temporal.taskQueue}`;
  context.say(
    isEnded
      ? `${where}; the next run or worker notes it as abandoned`
      : `${where}: where no worker polls that any more, cancel it again in two minutes`,
  );
}

async function cancel(name: string, project: Project, isJson: boolean | undefined): Promise<void> {
  const { config, context } = project;
  const wanted = await wantedNamed(project.state, name);
  const isKnown = wanted.run !== undefined || wanted.ended !== undefined;
  // No server is started to look for a mistyped name.
  if (!isKnown && !(await mayBeWorkflow(name, project))) throw noRun(name);
  const reached = await reach(wanted, project);
  try {
    const { id: temporalId, temporal } = reached;
    await refuseOtherTemporal(config, { ...project, temporalId, address: temporal.address });
    const chain = await ask(reached, wanted, project);
    if (chain.elsewhere !== undefined) return tellElsewhere(chain, project, isJson);
    const { workflowId } = chain;
    const at = { ...project, temporalId: reached.id };
    const isServed = (await workersAt(at)).length > 0;
    const isAlone = !isServed && !chain.isPaused && reached.temporal.isEmbedded;
    const stopped = isAlone && (await stopHere(chain, project));
    if (isAlone && !stopped) {
      context.say(`interrupted: ${workflowId} was asked to stop, and does once a worker runs`);
      return context.exit(exitCodes.interrupted);
    }
    const text = stopped ? `${workflowId} has stopped` : `asked ${workflowId} to stop`;
    context.print(isJson ? JSON.stringify({ workflow_id: workflowId, stopped }) : text);
    if (chain.isPaused) {
      return context.say("somebody paused it in Temporal: it stops once it is unpaused there");
    }
    if (isServed || stopped) return;
    context.say(
      `no worker of this project polls ${config.temporal.taskQueue}: it stops once one does`,
    );
  } finally {
    await reached.close();
  }
}

/** `sluice cancel <run>`. */
export const registerCancel: Register = (program, context) => {
  withGlobals(program.command("cancel <run>"))
    .description("stop a run cleanly; accepted records stay committed")
    .action(async (name: string, options: GlobalOptions) => {
      const config = await configOf(context, options);
      await withState(config, async (state) => {
        await cancel(name, { config, state, context }, options.json);
      });
    });
};
