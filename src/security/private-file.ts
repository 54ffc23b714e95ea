import { randomUUID } from "node:crypto";
import { existsSync, linkSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import { errorCodeOf } from "../errors.ts";

/**
 * Creates an empty file for this user alone, unless it exists, before SQLite creates it readable for others.
 * The file gets its name only after it is closed: closing a descriptor of a file that SQLite has open in this
 * process would end SQLite's locks on it.
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
 * Creates a folder for this user alone, and its parents, unless they exist. Node's own way (`recursive`)
 * never returns if an existing folder cannot contain another, such as /proc.
 */
export function makePrivateFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (!existsSync(dirname(path))) makePrivateFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
