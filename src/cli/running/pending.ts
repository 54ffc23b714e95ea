import type { WorkflowExecutionDescription } from "@temporalio/client";

import { workerStoppedType } from "../../failure-types.ts";
import { activityPhrases } from "../../text/activity-phrases.ts";
import { plainText } from "../../text/plain-text.ts";

/** By name. A worker of another version may have activities that are not known here. */
const doing: ReadonlyMap<string, string> = new Map(Object.entries(activityPhrases));

/** The part of a workflow that shows what it retries. */
type Described = {
  describe(): Promise<{
    readonly raw: Pick<WorkflowExecutionDescription["raw"], "pendingActivities">;
    readonly status: Pick<WorkflowExecutionDescription["status"], "name">;
  }>;
};

/** What is said of a paused workflow. Temporal lets nobody query it, so it cannot say anything itself. */
export const workflowPaused =
  "somebody paused the workflow in Temporal: it continues once it is unpaused there";

/**
 * What a run is retrying, or somebody has paused, in one line; undefined if nothing has failed and nothing is paused.
 * The workflow does not know this: Temporal alone retries.
 */
export async function pendingTrouble(handle: Described): Promise<string | undefined> {
  const { raw, status } = await handle.describe();
  if (status.name === "PAUSED") return workflowPaused;
  const pending = raw.pendingActivities ?? [];
  const paused = pending.find((activity) => activity.paused === true);
  if (paused !== undefined) {
    const name = paused.activityType?.name ?? "";
    const step = plainText(doing.get(name) ?? name);
    return `somebody paused a step in Temporal: it continues once it is unpaused there (${step})`;
  }
  const failing = pending.find(
    ({ lastFailure }) =>
      lastFailure?.message &&
      // A failure that the stop of a worker caused is not a trouble of the next one.
      lastFailure.applicationFailureInfo?.type !== workerStoppedType,
  );
  if (failing === undefined) return undefined;
  const { lastFailure, attempt, activityType } = failing;
  const name = activityType?.name ?? "";
  const what = `${doing.get(name) ?? name}, try ${attempt ?? 1}`;
  return plainText(`${lastFailure?.message ?? ""} (${what})`);
}
