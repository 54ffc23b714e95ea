import type { ChildProcess } from "node:child_process";

import { onTestFinished } from "vitest";

import { temporaryFolder } from "../process/temporary-folder.ts";
import { Project } from "../project/project.ts";
import { ownServer } from "./own-namespace.ts";
import { WebUi } from "./web-ui.ts";

/** A project with a worker, and the Web UI of its Temporal in a browser; both end with the test. */
export async function openProjectWithUi(
  files: Readonly<Record<string, string>>,
): Promise<{ project: Project; ui: WebUi; worker: ChildProcess }> {
  const project = await Project.start(onTestFinished, files, ownServer);
  const worker = await project.worker();
  const { uiAddress: address = "" } = project.temporal;
  const ui = await WebUi.open({ address });
  onTestFinished(async () => await ui.close());
  return { project, ui, worker };
}

/** The folder for screenshots: SLUICE_PICTURES, to be looked at, otherwise one that is removed with the test. */
export async function pictures(): Promise<string> {
  return process.env["SLUICE_PICTURES"] ?? (await temporaryFolder());
}
