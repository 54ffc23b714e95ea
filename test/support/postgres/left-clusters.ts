import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { identify, isProcessGone, processName } from "../../../src/local/process-identity.ts";
import { until } from "../process/process.ts";

/** How the folder of a throw-away cluster begins. */
export const clusterFolder = "sluice-postgres-";

/** The file in it that names the process that made it. */
export const ownerFile = "owner";

/** Replaces the host in names of processes: all of them are on this one. */
const anyHost = "-";

/** The name of this process, for `ownerFile`. */
export const clusterOwner = (): string => processName(anyHost);

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Ends the servers of clusters whose owner is gone, and removes their files; returns how many there were. */
export async function removeLeftClusters(folder: string): Promise<number> {
  const left = readdirSync(folder)
    .filter((name) => name.startsWith(clusterFolder))
    .map((name) => join(folder, name))
    .filter((path) => isProcessGone(textOf(join(path, ownerFile)), anyHost) === true);
  for (const path of left) {
    const pid = Number(textOf(join(path, "data/postmaster.pid")).split("\n")[0]);
    if (pid > 0 && textOf(`/proc/${pid}/cmdline`).includes(path)) {
      process.kill(pid, "SIGQUIT");
      await until(async () => identify(pid) === undefined);
    }
    await rm(path, { recursive: true, force: true });
  }
  return left.length;
}

/**
 * After the suite: removes the clusters of its processes. Vitest gives them half a second from SIGTERM to SIGKILL, too
 * little where the cores are busy.
 */
export function setup(): () => Promise<void> {
  return async () => void (await removeLeftClusters(tmpdir()));
}
