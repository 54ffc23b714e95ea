import { setTimeout as delay } from "node:timers/promises";

import { WorkflowNotFoundError, type Client } from "@temporalio/client";
import { expect, it, onTestFinished } from "vitest";

import { keepTemplates, type KeptTemplates } from "../../../src/local/templates.ts";
import { until } from "../../support/process/process.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import { ownNamespace } from "../../support/temporal/own-namespace.ts";

const timeoutMs = 60_000;
const taskQueue = "sluice";
/** Templates that are seeded at once. */
const atOnce = 8;
/** Longer than a worker waits for templates, and shorter than one may take. */
const longMs = 5_000;

/** Templates of this many syncs, and the warnings about them. */
async function kept(
  syncs: number,
): Promise<{ client: Client; templates: KeptTemplates; ids: string[]; warned: object[] }> {
  const { client, close } = await ownNamespace(await temporaryFolder());
  onTestFinished(close);
  const ids = Array.from({ length: syncs }, (_, at) => `backfill-sync-${at}`);
  const warned: object[] = [];
  const templates = keepTemplates({
    client,
    taskQueue,
    templates: ids.map((workflowId) => ({ workflowId, input: { template: true } })),
    log: { warn: (facts) => void warned.push(facts) },
  });
  return { client, templates, ids, warned };
}

/** The states of the workflows with these ids; "NONE" if there is none. */
async function statesOf(client: Client, ids: readonly string[]): Promise<string[]> {
  const asking = ids.map(async (id) => {
    try {
      return (await client.workflow.getHandle(id).describe()).status.name;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return "NONE";
      throw error;
    }
  });
  return await Promise.all(asking);
}

/** Ends this many workflows as soon as they have begun, as a worker does. */
async function finish(client: Client, count: number): Promise<void> {
  const { namespace } = client.options;
  for (let done = 0; done < count;) {
    const queue = { namespace, taskQueue: { name: taskQueue } };
    const poll = async (): ReturnType<typeof client.workflowService.pollWorkflowTaskQueue> =>
      await client.workflowService.pollWorkflowTaskQueue(queue);
    const task = await client.withDeadline(Date.now() + timeoutMs, poll);
    if (task.taskToken.length === 0) continue;
    await client.workflowService.respondWorkflowTaskCompleted({
      namespace,
      taskToken: task.taskToken,
      // COMMAND_TYPE_COMPLETE_WORKFLOW_EXECUTION
      commands: [{ commandType: 4, completeWorkflowExecutionCommandAttributes: {} }],
    });
    done++;
  }
}

const all = (count: number, state: string): string[] => Array.from({ length: count }, () => state);

it(
  "a few are there, and their ids free, before a worker that starts says so",
  async () => {
    const { client, templates, ids, warned } = await kept(3);
    const started = templates.seed().then(async () => await statesOf(client, ids));
    await delay(100);
    await finish(client, 3);
    expect(await started).toEqual(all(3, "COMPLETED"));
    await templates.close();
    expect(warned).toEqual([]);
  },
  timeoutMs,
);

it(
  "many keep a worker that starts for a second, and all of them follow, some at a time",
  async () => {
    const { client, templates, ids, warned } = await kept(20);
    const from = performance.now();
    await templates.seed();
    expect(performance.now() - from).toBeLessThan(longMs);
    const seeded = await statesOf(client, ids);
    expect(seeded).toEqual([...all(atOnce, "RUNNING"), ...all(20 - atOnce, "NONE")]);
    await finish(client, 20);
    await until(async () => (await statesOf(client, ids)).every((state) => state === "COMPLETED"));
    await templates.close();
    expect(warned).toEqual([]);
  },
  timeoutMs,
);

it(
  "a worker that stops waits for those that it began",
  async () => {
    const { client, templates, ids, warned } = await kept(2);
    await templates.seed();
    const stopped = templates.close().then(async () => await statesOf(client, ids));
    await delay(100);
    await finish(client, 2);
    expect(await stopped).toEqual(all(2, "COMPLETED"));
    expect(warned).toEqual([]);
  },
  timeoutMs,
);

it(
  "a worker that stops begins no more",
  async () => {
    const { client, templates, ids, warned } = await kept(20);
    await templates.seed();
    await Promise.all([templates.close(), finish(client, atOnce)]);
    // By now the next one would have begun.
    await delay(300);
    const [begun, left] = [all(atOnce, "COMPLETED"), all(20 - atOnce, "NONE")];
    expect(await statesOf(client, ids)).toEqual([...begun, ...left]);
    expect(warned).toEqual([]);
  },
  timeoutMs,
);

it(
  "those that nothing ends keep a worker that stops for a second, without a warning",
  async () => {
    const { client, templates, ids, warned } = await kept(2);
    await templates.seed();
    const from = performance.now();
    await templates.close();
    expect(performance.now() - from).toBeLessThan(longMs);
    for (const id of ids) await client.workflow.getHandle(id).terminate();
    // By now anything still waiting for one would have failed.
    await delay(300);
    expect(warned).toEqual([]);
  },
  timeoutMs,
);
