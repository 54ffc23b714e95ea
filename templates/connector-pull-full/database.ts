import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { ConfigError, RetryLater } from "sluice/connector";

import type { Config } from "./config.ts";

/** How long to wait for someone else's lock, in ms: this thread does nothing else meanwhile. */
const lockMsMax = 500;

/**
 * Opens the file for one piece of work, and closes it whatever happens. Nothing stays open between two pages, so
 * nothing is left behind when a read is stopped, and no writer has to wait for it.
 */
export function withDatabase<Result>(
  { file, folder = "" }: Config,
  work: (database: DatabaseSync) => Result,
  { readOnly = true } = {},
): Result {
  try {
    using database = new DatabaseSync(resolve(folder, file), { readOnly, timeout: lockMsMax });
    return work(database);
  } catch (error) {
    throw inOurWords(error, file);
  }
}

/**
 * Yours to change: the meanings of your source's errors. ConfigError: a person must act; the run stops. RetryLater: the
 * fault may pass; the same page is asked for again. SourceAuthError: the credentials are refused. No message holds a
 * secret or a cell.
 */
function inOurWords(error: unknown, file: string): unknown {
  const code = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0;
  switch (code) {
    case 1: // SQLITE_ERROR
      return new ConfigError(`${file} has no such table, or the table no such column`, {
        cause: error,
        field: "table",
        hint: "name a table that has the columns id and changed",
      });
    case 5: // SQLITE_BUSY
    case 6: // SQLITE_LOCKED
      return new RetryLater(`${file} is locked by someone who writes`, { cause: error });
    case 14: // SQLITE_CANTOPEN
    case 26: // SQLITE_NOTADB
      return new ConfigError(`${file} cannot be opened as a SQLite file`, {
        cause: error,
        field: "file",
        hint: "see that the path is right, and that the file may be read",
      });
    default:
      return error;
  }
}

/** A name inside a statement; values are never put there, but bound to `?`. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
