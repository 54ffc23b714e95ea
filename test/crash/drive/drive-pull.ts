import type { PulledPages } from "../../../activities/pull/inputs.ts";
import type { RunReport } from "../../../src/report/report.ts";
import { Driver, runIds, type Drive } from "./drive-run.ts";

/** A run of a pull to drive, under `runIds`. */
export type PullDrive = Pick<Drive, "deps" | "journal"> & {
  readonly pull: string;
  readonly reads: "domains" | "search";
};

/** Runs a pull to its end in its workflow's order, from where the journal ends, one page for each activity. */
export async function drivePull(drive: PullDrive): Promise<RunReport> {
  const { pull, reads } = drive;
  const driver = new Driver(drive);
  const { openPull, listDomains, pullPages, closeRun } = driver.activities;
  const opening = { pull, walks: reads, ...runIds, request: {} };
  const { settings: _, ...ref } = await driver.perform("openPull", openPull, opening);
  if (reads === "domains") await driver.perform("listDomains", listDomains, ref);
  let end: PulledPages["end"] = null;
  for (let step = 1; end === null; step++) {
    const asked = { ...ref, pagesMax: 1 };
    ({ end } = await driver.perform(`pullPages ${step}`, pullPages, asked));
  }
  const { runId } = runIds;
  const report = await driver.perform("closeRun", closeRun, { runId, outcome: "done" as const });
  if (report === null) throw new Error(`run ${runId} is not in the store`);
  return report;
}
