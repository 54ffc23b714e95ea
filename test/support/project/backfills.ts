import type { WorkflowHandle } from "@temporalio/client";

import type { BackfillPlan } from "../../../src/backfill/plan.ts";
import type { backfill } from "../../../workflows/backfill/backfill.ts";
import { until } from "../process/process.ts";
import type { Project } from "./project.ts";

/** The id that the user gives the backfill of the sync `accounts`. */
export const backfillId = "backfill-accounts";

/** Starts the workflow `backfill` as the Web UI does: one JSON object. */
export async function startBackfill(
  project: Project,
  input: unknown,
): Promise<WorkflowHandle<typeof backfill>> {
  const { client } = project.temporal;
  return await client.workflow.start<typeof backfill>("backfill", {
    taskQueue: "sluice",
    workflowId: backfillId,
    args: [input],
  });
}

/** Waits for the plan of a backfill. */
export async function planOf(handle: WorkflowHandle<typeof backfill>): Promise<BackfillPlan> {
  return await until(async () => (await handle.query<BackfillPlan | null>("plan")) ?? undefined);
}
