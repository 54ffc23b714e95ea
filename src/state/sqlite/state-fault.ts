import { statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

import { SluiceError, StateUnavailableError } from "../../errors.ts";

/** Free bytes below which a write that failed has most likely failed for want of room. */
const roomMin = 1_000_000;

/** What is in the way of a file, and what to do about it. */
type Fault = { readonly text: string; readonly hint: string };

const elsewhere = "set `state:` (or SLUICE_STATE_DIR) to a folder on a local disk";

/**
 * The nearest folder above a path that is there, and the bytes that are free on its disk; undefined when that
 * cannot be asked.
 */
function room(path: string): { readonly folder: string; readonly free: number } | undefined {
  for (let folder = path; ; folder = dirname(folder)) {
    try {
      const { bavail, bsize } = statfsSync(folder);
      return { folder, free: bavail * bsize };
    } catch {
      if (dirname(folder) === folder) return undefined;
    }
  }
}

/** The part of a path that is there and no folder. */
function fileInPlace(path: string): string | undefined {
  for (let at = path; dirname(at) !== at; at = dirname(at)) {
    try {
      if (statSync(at, { throwIfNoEntry: false })?.isDirectory() === false) return at;
    } catch {
      // Below a file nothing can be asked for: the file is further up.
    }
  }
  return undefined;
}

function fullFault(folder: string): Fault {
  const { folder: on, free } = room(folder) ?? { folder, free: 0 };
  return {
    text: `no room for the state in ${folder}: ${free} bytes free on the disk of ${on}`,
    hint:
      "make room there: waiting work continues by itself, and a command that ended is run again; or stop everything, " +
      "move the folder to another disk, and set `state:` to it",
  };
}

/** By errno, for what fails outside SQLite. */
function systemFault(code: string, folder: string): Fault | undefined {
  if (code === "ENOSPC" || code === "EDQUOT") return fullFault(folder);
  if (code === "EROFS") {
    const text = `the state folder ${folder} cannot be written: its disk is read-only`;
    return { text, hint: `mount it for writing, or ${elsewhere}` };
  }
  if (code === "EACCES" || code === "EPERM") {
    const text = `the state folder ${folder} cannot be written: this user has no right to`;
    return { text, hint: `give this user the folder, or ${elsewhere}` };
  }
  if (code === "EEXIST" || code === "ENOTDIR") {
    const text = `the state folder ${folder} cannot be made: ${fileInPlace(folder) ?? folder} is a file`;
    return { text, hint: `move that file away, or ${elsewhere}` };
  }
  if (code === "ENOENT") {
    const text = `the state folder ${folder} cannot be made there, or was removed`;
    return { text, hint: elsewhere };
  }
  return undefined;
}

/** By SQLite's result code. https://sqlite.org/rescode.html */
function sqliteFault(code: number, file: string): Fault | undefined {
  const folder = dirname(file);
  if (code === 13) return fullFault(folder);
  // What SQLite cannot map or extend on a full disk it calls an I/O error, or a file that it cannot open.
  if ((code === 10 || code === 14) && (room(folder)?.free ?? roomMin) < roomMin) {
    return fullFault(folder);
  }
  if (code === 8) return systemFault("EROFS", folder);
  if (code === 11 || code === 26) {
    return {
      text: `${file} is damaged, or is not a file of sluice`,
      hint:
        "put a backup of the whole folder in its place; or move the folder away, and all records are sent " +
        "again from the beginning",
    };
  }
  return undefined;
}

function faultOf(error: Error & { readonly code: unknown }, file: string): Fault {
  const known =
    "errcode" in error
      ? sqliteFault(Number(error.errcode) & 0xff, file)
      : systemFault(String(error.code), dirname(file));
  return (
    known ?? {
      text: `the state store ${file}: ${error.message}`,
      hint: "check that the disk works, the folder can be written and no other program holds the file",
    }
  );
}

/** A fault of SQLite or of the file system as the error a caller can act on; other errors pass unchanged. */
export function asStateError(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || !("code" in error) || error instanceof SluiceError) return error;
  const { text, hint } = faultOf(error, file);
  return new StateUnavailableError(text, { cause: error, hint });
}

/** What the file system says of a folder or file that this user cannot change. */
const unwritable: ReadonlySet<unknown> = new Set(["EROFS", "EACCES", "EPERM"]);

/**
 * The same of SQLite: a file that cannot be written, or one beside it that cannot be made.
 * https://sqlite.org/rescode.html
 */
const unwritableCodes: ReadonlySet<number> = new Set([8, 14]);

/** Whether a store could not be opened because it cannot be written. */
export function isUnwritable(error: unknown): boolean {
  if (!(error instanceof StateUnavailableError) || !(error.cause instanceof Error)) return false;
  const { cause } = error;
  if ("errcode" in cause) return unwritableCodes.has(Number(cause.errcode) & 0xff);
  return "code" in cause && unwritable.has(cause.code);
}

/** Does something to files of a state folder; what fails there is said as `asStateError` does. */
export async function inStateFolder<Result>(
  folder: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw asStateError(error, join(folder, "state.db"));
  }
}
