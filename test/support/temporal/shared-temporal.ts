import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startAnyTemporal } from "./any-temporal.ts";
import { sharedTemporalVariable } from "./own-namespace.ts";

/** The variable with the workflow bundle that all tests of a run share; the first one that needs it writes it. */
export const workflowBundleVariable = "SLUICE_TEST_WORKFLOW_BUNDLE";

/** Before the suite: starts the one Temporal server that its tests share. Returns a function that stops it. */
export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-temporal-"));
  const server = await startAnyTemporal({ logFile: join(folder, "temporal.log") });
  process.env[sharedTemporalVariable] = server.address;
  process.env[workflowBundleVariable] = join(folder, "workflow-bundle.js");
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  };
}
