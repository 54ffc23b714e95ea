import type { Dependencies } from "../../activities/dependencies.ts";
import type { PulledPages } from "../../activities/pull/inputs.ts";
import type { RunReport } from "../../src/report/report.ts";
import { Driver } from "./kill-drive.ts";
import type { Journal } from "./kill-journal.ts";

/** A run of a pull to drive. */
export type PullDrive = {
  readonly pull: string;
  readonly walks: "domains" | "search";
  readonly runId: string;
  readonly deps: Dependencies;
  readonly journal: Journal;
};

/** Runs a pull to its end in the order of its workflow, from where the journal ends, one page an activity. */
export async function drivePull(drive: PullDrive): Promise<RunReport> {
  const { pull, walks, runId } = drive;
  const driver = new Driver(drive);
  const { openPull, listDomains, pullPages, closeRun } = driver.activities;
  const workflow = { runId, workflowId: `wf-${runId}`, firstRunId: `first-${runId}` };
  const opening = { pull, walks, ...workflow, request: {} };
  const { settings: _, ...ref } = await driver.perform("openPull", openPull, opening);
  if (walks === "domains") await driver.perform("listDomains", listDomains, ref);
  let end: PulledPages["end"] = null;
  for (let step = 1; end === null; step++) {
    const asked = { ...ref, pagesMax: 1 };
    ({ end } = await driver.perform(`pullPages ${step}`, pullPages, asked));
  }
  const report = await driver.perform("closeRun", closeRun, { runId, outcome: "done" as const });
  if (report === null) throw new Error(`run ${runId} is not in the store`);
  return report;
}
