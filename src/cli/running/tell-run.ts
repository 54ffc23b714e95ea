import {
  type Client,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from "@temporalio/client";

import { ConfigError, TemporalUnreachableError } from "../../errors.ts";
import type { Run } from "../../state/contract/runs/runs.ts";
import { plainText } from "../../text/plain-text.ts";

/** How long a worker may take to answer (our choice). */
const answerMsDefault = 30_000;

/** An update of a run's workflow. */
export type Telling = {
  readonly name: "approve" | "discard" | "pause" | "resume";
  /** @default none */
  readonly input?: object | undefined;
  /** The run, as messages name it: "run accounts-1". */
  readonly what: string;
  /** What to say if its workflow has ended. */
  readonly ended: ConfigError;
  /** How long a worker may take to answer, in ms. @default 30 s */
  readonly answerMs?: number;
};

/**
 * Sends an update to the workflow of a run, which answers it.
 * @throws {ConfigError} it refuses, and says why; or it has ended. @throws {TemporalUnreachableError}
 */
export async function tellRun(
  client: Client,
  { workflowId, firstRunId: firstExecutionRunId }: Pick<Run, "firstRunId" | "workflowId">,
  { name, input, what, ended, answerMs = answerMsDefault }: Telling,
): Promise<void> {
  const handle = client.workflow.getHandle(workflowId, undefined, { firstExecutionRunId });
  const ask = async (): Promise<unknown> =>
    input === undefined
      ? await handle.executeUpdate(name)
      : await handle.executeUpdate(name, { args: [input] });
  try {
    await client.withDeadline(Date.now() + answerMs, ask);
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError) {
      const why = plainText(error.cause?.message ?? error.message);
      throw new ConfigError(`${what}: ${why}`, { cause: error });
    }
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) {
      const { taskQueue } = await handle.describe();
      // Temporal keeps the update, in memory, for the next worker.
      throw new TemporalUnreachableError(
        `${what}: no worker on its task queue, ${taskQueue}, answered "${name}" within ${answerMs / 1_000} s; ` +
          `the next one may still take it`,
        {
          cause: error,
          hint:
            "start one with `sluice worker` or `sluice dev`, then look at `sluice status`; where " +
            "`temporal.task_queue` is another by now, `sluice cancel` ends the run",
        },
      );
    }
    if (error instanceof WorkflowNotFoundError) throw ended;
    throw error;
  }
}
