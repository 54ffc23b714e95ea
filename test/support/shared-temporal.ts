import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startAnyTemporal } from "./any-temporal.ts";
import { sharedTemporalVariable } from "./own-namespace.ts";

/** Before the suite: starts the one Temporal server that its tests share. Answers what stops it. */
export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-temporal-"));
  const server = await startAnyTemporal({ logFile: join(folder, "temporal.log") });
  process.env[sharedTemporalVariable] = server.address;
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  };
}
