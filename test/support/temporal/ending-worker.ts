import type { Client } from "@temporalio/client";
import { defaultPayloadConverter } from "@temporalio/common";
import { onTestFinished, vi } from "vitest";

import { workerIdentity } from "../../../src/local/presence.ts";
import type { RunReport } from "../../../src/report/report.ts";
import type { Harness } from "../project/harness.ts";
import { ownNamespace, type OwnTemporal } from "./own-namespace.ts";

/** Temporal's numbers for the commands that end a workflow, with and without a result. */
const [completeWorkflow, failWorkflow] = [4, 5];

/** Temporal's number for a query that a worker could not answer. */
const queryFailed = 2;

type Commands = NonNullable<
  Parameters<Client["workflowService"]["respondWorkflowTaskCompleted"]>[0]["commands"]
>;

/** The commands with which a worker ends a workflow. */
export const ending = {
  failed: (message: string): Commands => [
    {
      commandType: failWorkflow,
      failWorkflowExecutionCommandAttributes: { failure: { message } },
    },
  ],
  completed: (report: RunReport): Commands => [
    {
      commandType: completeWorkflow,
      completeWorkflowExecutionCommandAttributes: {
        result: { payloads: [defaultPayloadConverter.toPayload(report)] },
      },
    },
  ],
};

const errorMessage = "it has no plan";

/** Gives a project a Temporal with a worker that ends each workflow with these commands, until the test is over. */
export async function endingWorker(harness: Harness, commands: Commands): Promise<OwnTemporal> {
  const own = await ownNamespace(harness.folder);
  vi.stubEnv("TEMPORAL_ADDRESS", own.address);
  vi.stubEnv("TEMPORAL_NAMESPACE", own.namespace);
  const { namespace } = own;
  const { workflowService } = own.client;
  const identity = workerIdentity({ storeId: harness.state.storeId, folder: undefined });
  const taskQueue = { name: "sluice" };
  const work = async (): Promise<void> => {
    try {
      for (;;) {
        const poll = { namespace, taskQueue, identity };
        const { taskToken, query, queries } = await workflowService.pollWorkflowTaskQueue(poll);
        if (taskToken.length === 0) continue;
        if (query !== null && query !== undefined) {
          const answer = { completedType: queryFailed, errorMessage };
          // Whoever asked may be gone.
          await workflowService
            .respondQueryTaskCompleted({ namespace, taskToken, ...answer })
            .catch(() => undefined);
          continue;
        }
        const asked = Object.keys(queries ?? {});
        const queryResults = Object.fromEntries(
          asked.map((id) => [id, { resultType: queryFailed, errorMessage }]),
        );
        const done = { namespace, taskToken, identity, commands, queryResults };
        await workflowService.respondWorkflowTaskCompleted(done).catch(() => undefined);
      }
    } catch {
      // The test is over.
    }
  };
  const polling = async (): Promise<void> =>
    await own.client.withDeadline(Date.now() + 60_000, work);
  const over = new AbortController();
  const working = own.client.withAbortSignal(over.signal, polling);
  onTestFinished(async () => {
    over.abort();
    await working;
    await own.close();
  });
  return own;
}
