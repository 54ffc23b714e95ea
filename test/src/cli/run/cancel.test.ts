import { WorkflowClient } from "@temporalio/client";
import { Command } from "commander";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";

import { registerCancel } from "../../../../src/cli/run/cancel.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { temporalIdOf, workerIdentity } from "../../../../src/local/presence.ts";
import { processName } from "../../../../src/local/process-identity.ts";
import { accountsYaml, Harness, harnessKey } from "../../../support/project/harness.ts";
import { ownNamespace } from "../../../support/temporal/own-namespace.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Has Temporal describe each workflow as paused. */
function describePaused(): void {
  const getHandle = Reflect.get(WorkflowClient.prototype, "getHandle");
  vi.spyOn(WorkflowClient.prototype, "getHandle").mockImplementation(function paused(
    this: WorkflowClient,
    ...of
  ) {
    const handle = Reflect.apply(getHandle, this, of);
    const status = { code: 8, name: "PAUSED" } as const;
    return { ...handle, describe: async () => ({ ...(await handle.describe()), status }) };
  });
}

it("cancel ends a run whose task queue is not the project's any more, once no worker polls that", async () => {
  const yaml = `${accountsYaml()}temporal: { task_queue: new-queue }\n`;
  const { deps, folder, sandbox } = await Harness.open({ yaml });
  const { address, namespace, client, close } = await ownNamespace(folder);
  onTestFinished(close);
  vi.stubEnv("TEMPORAL_ADDRESS", address);
  vi.stubEnv("TEMPORAL_NAMESPACE", namespace);
  const environment = readEnvironment({
    TEMPORAL_ADDRESS: address,
    SLUICE_BASE_URL: sandbox.address,
    SLUICE_API_KEY: harnessKey,
    CRM_DATABASE_URL: "none",
  });
  const begin = async (runId: string, taskQueue: string): Promise<void> => {
    const options = { taskQueue, workflowId: runId, args: [{ sync: "accounts" }] };
    const { firstExecutionRunId: firstRunId } = await client.workflow.start("sync", options);
    const of = { sync: "accounts", target: deps.target, kind: "sync", request: {} } as const;
    const opening = { configHash: "c", startedAt: "2026-01-01T02:28:00.000Z" };
    const temporalId = await temporalIdOf(client);
    await deps.state.openRun({
      runId,
      workflowId: runId,
      firstRunId,
      temporalId,
      ...of,
      ...opening,
    });
  };
  const cancel = async (runId: string): Promise<readonly string[]> => {
    const told: string[] = [];
    const print = (text: string): void => void told.push(text);
    const program = new Command().exitOverride();
    registerCancel(program, { cwd: folder, environment, print, say: print, exit: () => undefined });
    await program.parseAsync(["cancel", runId], { from: "user" });
    return told;
  };
  const isOpen = async (runId: string): Promise<boolean> =>
    (await client.workflow.getHandle(runId).describe()).status.name === "RUNNING";

  await begin("run-1", "left-queue");
  expect(await cancel("run-1")).toEqual([
    "ended run-1",
    expect.stringMatching(
      /^it was on the task queue left-queue, and \S+ names new-queue; the next/,
    ),
  ]);
  expect(await isOpen("run-1")).toBe(false);

  await begin("run-2", "served-queue");
  const identity = workerIdentity({ storeId: deps.state.storeId, folder: undefined });
  const taskQueue = { name: "served-queue" };
  // Takes the workflow's first task, and does nothing with it.
  await client.withDeadline(Date.now() + 60_000, async () => {
    await client.workflowService.pollWorkflowTaskQueue({ namespace, taskQueue, identity });
  });
  expect(await cancel("run-2")).toEqual([
    "asked run-2 to stop",
    expect.stringContaining("cancel it again in two minutes"),
  ]);
  expect(await isOpen("run-2")).toBe(true);

  // A worker that was killed a moment ago: its last beat is fresh, and its process is gone.
  const name = processName("host").replace(/ \S+$/, " 1");
  const gone = { hostId: "host", process: "7", version: "1", name, lastBeat: Date.now() };
  await deps.state.beat({ ...gone, temporalId: await temporalIdOf(client) });
  await begin("run-3", "new-queue");
  expect(await cancel("run-3")).toEqual([
    "asked run-3 to stop",
    "no worker of this project polls new-queue: it stops once one does",
  ]);
  expect(await isOpen("run-3")).toBe(true);

  // The server that is started here (1.29) cannot pause a workflow; a later one can.
  await begin("run-4", "new-queue");
  describePaused();
  expect(await cancel("run-4")).toEqual([
    "asked run-4 to stop",
    "somebody paused it in Temporal: it stops once it is unpaused there",
  ]);
});
