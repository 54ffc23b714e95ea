import { onTestFinished } from "vitest";

import { receiverSecret, type Receiver } from "../webhooks/receiver.ts";
import { accountsConfig, accountsCsv, Project } from "./project.ts";

/** A project with a worker, whose runs are announced to these receivers. */
export async function notifyingProject(
  receivers: readonly Receiver[],
  csv = accountsCsv(3),
): Promise<Project> {
  const list = receivers.map(
    ({ url }, index) => `  - { url: "${url}/${index}", secret: "${receiverSecret}", on: always }\n`,
  );
  const project = await Project.start(onTestFinished, {
    "sluice.yaml": `${accountsConfig()}notify:\n${list.join("")}`,
    "accounts.csv": csv,
  });
  await project.worker();
  return project;
}

/** How the workflow that announces a run ends. */
export async function endOfNotification(project: Project, runId: string): Promise<string> {
  const handle = project.temporal.client.workflow.getHandle(`notify-${runId}`);
  await handle.result().catch(() => undefined);
  return (await handle.describe()).status.name;
}
