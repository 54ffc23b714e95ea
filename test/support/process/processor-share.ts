import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The CPU controller, in version 1 of control groups. */
const controller = "/sys/fs/cgroup/cpu";

/** How long a process that has used up its share waits: far shorter than any timeout that watches it. */
const periodUs = 20_000;

async function put(file: string, value: number): Promise<void> {
  await writeFile(file, String(value));
}

/**
 * Limits a process to a share of one core until `signal` aborts or it ends, by a control group of its own: it is at
 * every moment as slow as on a slow machine.
 * @throws {Error} this machine has no such groups, or this user may not make them.
 */
export async function holdToShare(
  child: ChildProcess,
  { share, signal }: { readonly share: number; readonly signal: AbortSignal },
): Promise<void> {
  if (!existsSync(join(controller, "cpu.cfs_quota_us"))) {
    throw new Error(
      `${controller} is not there: run this as root where control groups are mounted`,
    );
  }
  const group = join(controller, `sluice-share-${child.pid}`);
  await mkdir(group);
  try {
    await put(join(group, "cpu.cfs_period_us"), periodUs);
    await put(join(group, "cpu.cfs_quota_us"), Math.round(periodUs * share));
    await put(join(group, "cgroup.procs"), child.pid ?? 0);
    if (!signal.aborted && child.exitCode === null) {
      await once(child, "exit", { signal }).catch(() => undefined);
    }
    if (child.exitCode === null && child.signalCode === null) {
      await put(join(controller, "cgroup.procs"), child.pid ?? 0);
    }
  } finally {
    await rmdir(group);
  }
}
