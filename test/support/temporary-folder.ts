import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onTestFinished } from "vitest";

/** A folder that goes with its test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-test-"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  return folder;
}
