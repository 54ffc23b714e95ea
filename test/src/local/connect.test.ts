import type { Client } from "@temporalio/client";
import { expect, it, onTestFinished, vi } from "vitest";

import { isWorkflowOpen } from "../../../src/local/connect.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import { ownNamespace } from "../../support/temporal/own-namespace.ts";

/** Makes the server hide which execution came first. */
function hideFirstRun(client: Client): void {
  const getHandle = client.workflow.getHandle.bind(client.workflow);
  vi.spyOn(client.workflow, "getHandle").mockImplementation((workflowId) => {
    const handle = getHandle(workflowId);
    const describe = async () => {
      const told = await handle.describe();
      const workflowExecutionInfo = { ...told.raw.workflowExecutionInfo, firstRunId: "" };
      return { ...told, raw: { ...told.raw, workflowExecutionInfo } };
    };
    return { ...handle, describe };
  });
}

it("asks whether a workflow is open also of a server that does not name the first execution", async () => {
  const folder = await temporaryFolder();
  const { client, close } = await ownNamespace(folder);
  onTestFinished(close);
  const begin = async (): Promise<string> => {
    const options = { taskQueue: "nobody", workflowId: "holder", args: [{}] };
    return (await client.workflow.start("sync", options)).firstExecutionRunId;
  };
  hideFirstRun(client);
  const holder = { workflowId: "holder", firstRunId: await begin() };
  expect(await isWorkflowOpen(client, holder)).toBe(true);
  expect(await isWorkflowOpen(client, { ...holder, workflowId: "nobody" })).toBe(false);

  await client.workflow.getHandle("holder").terminate();
  const successor = { ...holder, firstRunId: await begin() };
  expect(await isWorkflowOpen(client, holder)).toBe(false);
  expect(await isWorkflowOpen(client, successor)).toBe(true);
});
