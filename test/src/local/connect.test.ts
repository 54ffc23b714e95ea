import type { Client, WorkflowExecutionDescription } from "@temporalio/client";
import { expect, it, onTestFinished, vi } from "vitest";

import { isWorkflowOpen } from "../../../src/local/connect.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import { ownNamespace } from "../../support/temporal/own-namespace.ts";

type Description = WorkflowExecutionDescription;

/** Has the server describe workflows otherwise than it does. */
function describing(client: Client, change: (told: Description) => Description): void {
  const getHandle = client.workflow.getHandle.bind(client.workflow);
  vi.spyOn(client.workflow, "getHandle").mockImplementation((workflowId) => {
    const handle = getHandle(workflowId);
    return { ...handle, describe: async () => change(await handle.describe()) };
  });
}

/** Hides which execution came first. */
function withoutFirstRun(told: Description): Description {
  const workflowExecutionInfo = { ...told.raw.workflowExecutionInfo, firstRunId: "" };
  return { ...told, raw: { ...told.raw, workflowExecutionInfo } };
}

it("asks whether a workflow is open also of a server that does not name the first execution", async () => {
  const folder = await temporaryFolder();
  const { client, close } = await ownNamespace(folder);
  onTestFinished(close);
  const begin = async (): Promise<string> => {
    const options = { taskQueue: "nobody", workflowId: "holder", args: [{}] };
    return (await client.workflow.start("sync", options)).firstExecutionRunId;
  };
  describing(client, withoutFirstRun);
  const holder = { workflowId: "holder", firstRunId: await begin() };
  expect(await isWorkflowOpen(client, holder)).toBe(true);
  expect(await isWorkflowOpen(client, { ...holder, workflowId: "nobody" })).toBe(false);

  await client.workflow.getHandle("holder").terminate();
  const successor = { ...holder, firstRunId: await begin() };
  expect(await isWorkflowOpen(client, holder)).toBe(false);
  expect(await isWorkflowOpen(client, successor)).toBe(true);
});

// The server that is started here (1.29) cannot pause a workflow; a later one can.
it("counts a workflow that somebody paused as open, and none that ended", async () => {
  const folder = await temporaryFolder();
  const { client, close } = await ownNamespace(folder);
  onTestFinished(close);
  const options = { taskQueue: "nobody", workflowId: "holder", args: [{}] };
  const { firstExecutionRunId } = await client.workflow.start("sync", options);
  const holder = { workflowId: "holder", firstRunId: firstExecutionRunId };
  let status: Description["status"] = { code: 8, name: "PAUSED" };
  describing(client, (told) => ({ ...told, status }));
  expect(await isWorkflowOpen(client, holder)).toBe(true);
  status = { code: 5, name: "TERMINATED" };
  expect(await isWorkflowOpen(client, holder)).toBe(false);
});
