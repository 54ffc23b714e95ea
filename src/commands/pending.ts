import type { WorkflowHandle } from "@temporalio/client";

import { plainText } from "../plain-text.ts";

/** What a run is trying again, in one line; undefined while nothing has failed. A workflow does not know: Temporal alone retries. */
export async function pendingTrouble(
  handle: Pick<WorkflowHandle, "describe">,
): Promise<string | undefined> {
  const { raw } = await handle.describe();
  const failing = (raw.pendingActivities ?? []).find(({ lastFailure }) => lastFailure?.message);
  if (failing === undefined) return undefined;
  const { lastFailure, attempt, activityType } = failing;
  const what = `${activityType?.name ?? "a step"}, try ${attempt ?? 1}`;
  return plainText(`${lastFailure?.message ?? ""} (${what})`);
}
