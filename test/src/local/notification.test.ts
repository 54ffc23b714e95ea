import { Client, Connection } from "@temporalio/client";
import { expect, it, onTestFinished } from "vitest";

import { isStillNotifying, startNotifying } from "../../../src/local/notification.ts";
import { Project } from "../../support/project/project.ts";

it("starts one workflow a run, even after it ended, and knows while it is under way", async () => {
  const project = await Project.start(onTestFinished, {});
  const { client } = project.temporal;
  const input = { run_id: "accounts-1", targets: ["hooks.example-1"] };
  const start = async (): Promise<void> =>
    await startNotifying(client, { taskQueue: "nobody-polls" }, input);
  await start();
  await start();
  const isUnderWay = async (signal: AbortSignal): Promise<boolean> =>
    await isStillNotifying(client, "notify-accounts-1", signal);
  expect(await isUnderWay(AbortSignal.timeout(500))).toBe(true);
  await client.workflow.getHandle("notify-accounts-1").terminate();
  await start();
  expect(await isUnderWay(new AbortController().signal)).toBe(false);
});

it("does not take a notification for delivered because Temporal cannot be asked", async () => {
  const project = await Project.start(onTestFinished, {});
  const connection = await Connection.connect({ address: project.temporal.address });
  await connection.close();
  const client = new Client({ connection, namespace: project.temporal.client.options.namespace });
  const { signal } = new AbortController();
  expect(await isStillNotifying(client, "notify-accounts-1", signal)).toBe(true);
  expect(await isStillNotifying(project.temporal.client, "notify-nothing", signal)).toBe(false);
});
