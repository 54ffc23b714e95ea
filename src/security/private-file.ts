import { randomUUID } from "node:crypto";
import { existsSync, linkSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import { errorCodeOf } from "../errors.ts";

/**
 * Makes an empty file for this user alone, unless there is one, before SQLite makes it readable for others.
 * It gets its name when it is closed already: to close a descriptor of a file that SQLite has open in this
 * process ends SQLite's locks on it.
 */
export function makePrivateFile(path: string): void {
  if (existsSync(path)) return;
  const made = `${path}.${randomUUID()}`;
  writeFileSync(made, "", { flag: "wx", mode: 0o600 });
  try {
    linkSync(made, path);
  } catch (error) {
    if (errorCodeOf(error) !== "EEXIST") throw error;
  } finally {
    rmSync(made);
  }
}

/**
 * Makes a folder for this user alone, and those above it, unless they are there. Node's own way (`recursive`)
 * never returns where a folder that is there cannot hold another, such as /proc.
 */
export function makePrivateFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (!existsSync(dirname(path))) makePrivateFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
