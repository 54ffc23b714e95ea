import { mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onTestFinished } from "vitest";

/** The folder that Linux keeps in memory, and the minimum free space there: containers may have 64 MB in all. */
const memory = "/dev/shm";
const freeBytesMin = 2 * 1024 ** 3;

async function folderIn(root: string): Promise<string> {
  const folder = await mkdtemp(join(root, "sluice-test-"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder that is removed with its test. */
export async function temporaryFolder(): Promise<string> {
  return await folderIn(tmpdir());
}

/**
 * The same in memory if there is room: a sync to disk costs nothing there, and a killed process leaves as much as on a
 * disk.
 */
export async function memoryFolder(): Promise<string> {
  const hasRoom = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize >= freeBytesMin,
    () => false,
  );
  return await folderIn(hasRoom ? memory : tmpdir());
}
