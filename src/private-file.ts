import { randomUUID } from "node:crypto";
import { existsSync, linkSync, rmSync, writeFileSync } from "node:fs";

/**
 * Makes an empty file for this user alone, unless there is one, before SQLite makes it readable for others. It gets its name
 * when it is closed already: to close a descriptor of a file that SQLite has open in this process ends SQLite's locks on it.
 */
export function makePrivateFile(path: string): void {
  if (existsSync(path)) return;
  const made = `${path}.${randomUUID()}`;
  writeFileSync(made, "", { flag: "wx", mode: 0o600 });
  try {
    linkSync(made, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(made);
  }
}
