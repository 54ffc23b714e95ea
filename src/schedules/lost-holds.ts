import type { Client, WorkflowExecutionInfo } from "@temporalio/client";

import type { Progress } from "../../workflows/sync/progress.ts";
import { messageOf } from "../errors.ts";
import type { Run } from "../state/contract/runs/runs.ts";
import type { StateStore } from "../state/state-store.ts";

/** How long the search may delay a starting worker's "ready" (our choice). */
const lookMsMax = 10_000;

/** What is needed to look for lost holds. */
type Looking = {
  readonly client: Pick<Client, "withDeadline" | "workflow">;
  readonly taskQueue: string;
  readonly state: Pick<StateStore, "storeId"> & {
    readonly run: (runId: string) => Promise<Pick<Run, "hold"> | undefined>;
  };
  readonly log: { warn(facts: object, text: string): void };
};

/** A run that a workflow holds although the store does not know it as held, and whether it is of this store. */
type LostHold = { readonly run: string; readonly isOurs: boolean };

async function lostHold(
  { client, state }: Looking,
  { workflowId, runId: executionId, memo }: WorkflowExecutionInfo,
): Promise<LostHold | undefined> {
  const handle = client.workflow.getHandle(workflowId, executionId);
  const { held, run_id: runId } = await handle.query<Progress>("progress");
  if (held === undefined) return undefined;
  // Read after the workflow, which learns of a hold only once the store has it: a store without it is an older copy.
  const run = await state.run(runId);
  const isOurs = run !== undefined || memo?.["sluice_store"] === state.storeId;
  const isKnown = run?.hold?.number === held.number && run.hold.digest === held.digest;
  return isKnown ? undefined : { run: runId, isOurs };
}

async function endIfLost(looking: Looking, found: WorkflowExecutionInfo): Promise<void> {
  const { client, log } = looking;
  const lost = await lostHold(looking, found);
  if (lost === undefined) return;
  const { run, isOurs } = lost;
  if (!isOurs) {
    log.warn(
      { run, workflow: found.workflowId },
      "this run is held, and another state store knows it: its schedule starts nothing meanwhile; " +
        `where that store is lost, \`sluice cancel ${found.workflowId}\` ends it`,
    );
    return;
  }
  await client.workflow.getHandle(found.workflowId, found.runId).executeUpdate("discard");
  log.warn(
    { run, workflow: found.workflowId },
    "this run was held, and the state store, which is older, does not know that: it ends, nothing of it is sent",
  );
}

async function endThem(looking: Looking): Promise<void> {
  const { client, taskQueue, log } = looking;
  const query = `TaskQueue = "${taskQueue}" AND WorkflowType = "sync" AND ExecutionStatus = "Running"`;
  for await (const found of client.workflow.list({ query })) {
    try {
      await endIfLost(looking, found);
    } catch (error) {
      // One that cannot be queried, such as one that only a newer build can continue, must not block the others.
      log.warn(
        { workflow: found.workflowId, why: messageOf(error) },
        "nobody could ask whether this run is held and the state store, restored from a backup, does not know that",
      );
    }
  }
}

/**
 * Ends the runs of this store that wait for consent but that it does not know as held: it was restored from a backup,
 * so no command could answer them, and their schedules would start nothing while they wait. Runs of another store,
 * which may be in use elsewhere, are only named in the log. For a worker that has started, because it is what
 * answers the calls. Failures are logged: such a run ends by itself after a week.
 */
export async function endLostHolds(looking: Looking): Promise<void> {
  const { client, log } = looking;
  try {
    await client.withDeadline(Date.now() + lookMsMax, async () => await endThem(looking));
  } catch (error) {
    const text = "nobody looked for runs that were held before the state store was restored";
    log.warn({ why: messageOf(error) }, text);
  }
}
