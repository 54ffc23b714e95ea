import { readdir } from "node:fs/promises";

/** Runs that have staged files. */
export async function stagedRunsIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(() => []);
}
