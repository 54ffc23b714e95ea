import { execFile } from "node:child_process";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const diskBytes = 16 * 1024 * 1024;

const run = promisify(execFile);

/** A folder to which nothing can be written for now. */
export interface FullDisk {
  /** How it is made. */
  readonly means: "a file in the folder's place" | "a full tmpfs";
  /** Makes room. */
  free(): Promise<void>;
  /** Leaves an ordinary folder behind. */
  close(): Promise<void>;
}

/** Fills the disk of a folder: a small tmpfs if we may mount one; otherwise a file takes the folder's place. */
export async function fillDisk(folder: string): Promise<FullDisk> {
  const size = `size=${diskBytes},mode=0700`;
  const isMounted = await run("mount", ["-t", "tmpfs", "-o", size, "tmpfs", folder]).then(
    () => true,
    () => false,
  );
  return isMounted ? await fill(folder) : await block(folder);
}

async function fill(folder: string): Promise<FullDisk> {
  const ballast = join(folder, "ballast");
  // It ends at ENOSPC, which is its purpose.
  await writeFile(ballast, Buffer.alloc(diskBytes + 1)).catch(() => undefined);
  return {
    means: "a full tmpfs",
    free: async () => await rm(ballast, { force: true }),
    close: async () => void (await run("umount", ["-l", folder])),
  };
}

async function block(folder: string): Promise<FullDisk> {
  const aside = `${folder}.aside`;
  await rename(folder, aside);
  await writeFile(folder, "");
  let isBlocked = true;
  const free = async (): Promise<void> => {
    if (!isBlocked) return;
    isBlocked = false;
    await rm(folder);
    await rename(aside, folder);
  };
  return { means: "a file in the folder's place", free, close: free };
}
