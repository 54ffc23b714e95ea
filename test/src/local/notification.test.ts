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
