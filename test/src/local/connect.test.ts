import type { Client } from "@temporalio/client";
import { expect, it, onTestFinished, vi } from "vitest";

import { connectTemporal, isWorkflowOpen } from "../../../src/local/connect.ts";
import { startAnyTemporal } from "../../support/any-temporal.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Makes the server one that does not say which execution came first. */
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
  const server = await startAnyTemporal({ logFile: `${folder}/temporal.log` });
  onTestFinished(async () => await server.stop());
  const { client, close } = await connectTemporal(server.address);
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
