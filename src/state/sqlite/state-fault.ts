import { statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

import { SluiceError, StateUnavailableError } from "../../errors.ts";

/** Free bytes below which a failed write most likely failed for lack of room. */
const roomMin = 1_000_000;

/** What is wrong with a file, and what to do about it. */
type Fault = { readonly text: string; readonly hint: string };

const elsewhere = "set `state:` (or SLUICE_STATE_DIR) to a folder on a local disk";

/** The nearest existing folder at or above a path, and the bytes free on its disk; undefined if that cannot be read. */
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

/** The part of a path that exists and is not a folder. */
function fileInPlace(path: string): string | undefined {
  for (let at = path; dirname(at) !== at; at = dirname(at)) {
    try {
      if (statSync(at, { throwIfNoEntry: false })?.isDirectory() === false) return at;
    } catch {
      // Nothing below a file can be read: the file is further up.
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

/** Faults by errno, for errors from outside SQLite. */
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

/** Faults by SQLite's result code. https://sqlite.org/rescode.html */
function sqliteFault(code: number, file: string): Fault | undefined {
  const folder = dirname(file);
  if (code === 13) return fullFault(folder);
  // If SQLite cannot map or extend a file on a full disk, it reports an I/O error, or a file that it cannot open.
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

/** Turns a fault of SQLite or the file system into an error that a caller can act on; others pass unchanged. */
export function asStateError(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || !("code" in error) || error instanceof SluiceError) return error;
  const { text, hint } = faultOf(error, file);
  return new StateUnavailableError(text, { cause: error, hint });
}

/** The file system's codes for a folder or file that this user cannot change. */
const unwritable: ReadonlySet<unknown> = new Set(["EROFS", "EACCES", "EPERM"]);

/**
 * The same for SQLite: a file that cannot be written, or one next to it that cannot be made.
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

/** Runs `work` on files of a state folder; turns its errors into those of `asStateError`. */
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
