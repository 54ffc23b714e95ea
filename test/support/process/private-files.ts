import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** Every file and folder of a state folder that others than its owner may access. */
export async function openToOthers(folder: string): Promise<string[]> {
  const names = [".", ...(await readdir(folder, { recursive: true }))];
  const found = await Promise.all(
    names.map(async (name) => {
      const facts = await stat(join(folder, name));
      const mode = facts.mode & 0o777;
      return mode === (facts.isDirectory() ? 0o700 : 0o600) ? [] : [`${name} ${mode.toString(8)}`];
    }),
  );
  return found.flat();
}
