import { readdir } from "node:fs/promises";

/** The runs with staged files. */
export async function stagedRunsIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(() => []);
}
