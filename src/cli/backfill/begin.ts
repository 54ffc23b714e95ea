import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  type WorkflowHandle,
} from "@temporalio/client";

import { backfillId } from "../../backfill/template.ts";
import { BusyError, ConfigError } from "../../errors.ts";
import { isOpen } from "../../local/connect.ts";
import { isTemplate } from "../../local/templates.ts";
import type { Context } from "../output/context.ts";
import type { RunWorkflow } from "../running/follow.ts";
import type { CliSession } from "../running/session.ts";
import { resetCode } from "../status/reset.ts";
import type { BackfillInput } from "./input.ts";

/** A workflow `backfill` that was started, or found. */
export type Begun = {
  readonly handle: WorkflowHandle<RunWorkflow>;
  /** Distinguishes it from other backfills with the same id. */
  readonly firstRunId: string;
  /** Whether nobody else may be waiting for its result. */
  readonly isOurs: boolean;
};

/** The backfill to follow: a workflow by its id, or one to start. */
export type WantedBackfill =
  | { readonly workflowId: string }
  | { readonly input: BackfillInput; readonly isMoreAsked: boolean };

/** Stops a workflow whose run a reset has ended in the store: paused, it would wait for ever. */
async function stopLeft(handle: WorkflowHandle<RunWorkflow>): Promise<void> {
  await handle.cancel();
  try {
    await handle.result();
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
  }
}

/**
 * The backfill that continues under an id; undefined if none does. One that was ended by a reset is stopped first.
 * @throws {BusyError} it is another project's.
 */
async function runningAs(
  { client, config, hasOtherWorker, state }: CliSession,
  workflowId: string,
): Promise<Begun | undefined> {
  try {
    const found = client.workflow.getHandle<RunWorkflow>(workflowId);
    const described = await found.describe();
    // A template ends at once, and its id is free again then.
    if (described.status.name === "RUNNING" && isTemplate(described)) await found.result();
    if (!isOpen(described) || isTemplate(described)) return undefined;
    if (described.taskQueue !== config.temporal.taskQueue || described.type !== "backfill") {
      throw new BusyError(`workflow ${workflowId} is not a backfill of this project`, {
        hint: "give each project a temporal.task_queue of its own",
      });
    }
    const firstRunId = described.raw.workflowExecutionInfo?.firstRunId ?? described.runId;
    const handle = client.workflow.getHandle<RunWorkflow>(workflowId, undefined, {
      firstExecutionRunId: firstRunId,
    });
    const [run] = await state.runs({ workflowId, limit: 1 });
    // One that somebody paused in Temporal would hear of it once it is unpaused there.
    const isStopped = run?.firstRunId === firstRunId && run.failure?.code === resetCode;
    if (isStopped && described.status.name === "RUNNING") {
      await stopLeft(handle);
      return undefined;
    }
    return { handle, firstRunId, isOurs: !hasOtherWorker };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

async function start(
  { client, config }: CliSession,
  input: BackfillInput,
): Promise<Begun | undefined> {
  const { taskQueue } = config.temporal;
  const workflowId = backfillId({ sync: input.sync, taskQueue });
  try {
    const handle = await client.workflow.start<RunWorkflow>("backfill", {
      taskQueue,
      workflowId,
      args: [input],
    });
    return { handle, firstRunId: handle.firstExecutionRunId, isOurs: true };
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
    throw error;
  }
}

function anotherContinues(sync: string, workflowId: string): BusyError {
  return new BusyError(`a backfill of ${sync} continues already: workflow ${workflowId}`, {
    hint: `\`sluice backfill ${sync}\` without options follows it, \`sluice cancel ${workflowId}\` ends it`,
  });
}

/** @throws {BusyError} another backfill continues, and more was asked for: one that is being planned has no run yet. */
export async function refuseAnother(session: CliSession, wanted: WantedBackfill): Promise<void> {
  if ("workflowId" in wanted || !wanted.isMoreAsked) return;
  const { sync } = wanted.input;
  const workflowId = backfillId({ sync, taskQueue: session.config.temporal.taskQueue });
  if ((await runningAs(session, workflowId)) !== undefined)
    throw anotherContinues(sync, workflowId);
}

/**
 * Starts a backfill, or finds the one that continues.
 * @throws {BusyError} another backfill of the sync continues, and more was asked for.
 */
export async function begin(
  session: CliSession,
  wanted: WantedBackfill,
  { say }: Pick<Context, "say">,
): Promise<Begun> {
  if ("workflowId" in wanted) {
    const found = await runningAs(session, wanted.workflowId);
    if (found !== undefined) return found;
    throw new ConfigError(`no backfill continues as workflow ${wanted.workflowId}`, {
      hint: "`sluice runs list` has those that ended",
    });
  }
  const { input } = wanted;
  const { taskQueue } = session.config.temporal;
  const workflowId = backfillId({ sync: input.sync, taskQueue });
  for (;;) {
    const started = await start(session, input);
    if (started !== undefined) {
      say(`backfill of ${input.sync} started: workflow ${workflowId}`);
      return started;
    }
    const found = await runningAs(session, workflowId);
    if (found === undefined) continue;
    if (wanted.isMoreAsked) throw anotherContinues(input.sync, workflowId);
    say(`a backfill of ${input.sync} continues already: following workflow ${workflowId}`);
    return found;
  }
}
