import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The controller of the processor, as version 1 of control groups has it. */
const controller = "/sys/fs/cgroup/cpu";

/** After how long a process that has used up its share goes on: far shorter than anything that waits for it. */
const periodUs = 20_000;

async function put(file: string, value: number): Promise<void> {
  await writeFile(file, String(value));
}

/**
 * Holds a process to a share of one core until `signal` aborts or it ends, by a control group of its own: it is as slow
 * at every moment as a slow machine is.
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
