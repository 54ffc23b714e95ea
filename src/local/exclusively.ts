import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";

import { makePrivateFile, makePrivateFolder } from "../security/private-file.ts";

/** How often a held lock is asked for again. */
const askAgainMs = 50;

/** SQLite's result code for a lock somebody else holds. */
const sqliteBusy = 5;

/**
 * Runs `work` while no other caller, in this process or another, is in theirs under the same `path`;
 * `waiting` is called once when there is somebody to wait for. The lock is SQLite's on an empty file: the
 * operating system frees it when its holder dies, however it dies, so that no lock is ever stale.
 */
export async function exclusively<Result>(
  path: string,
  work: () => Promise<Result>,
  waiting?: () => void,
): Promise<Result> {
  makePrivateFolder(dirname(path));
  makePrivateFile(path);
  using lock = new DatabaseSync(path);
  if (!isTaken(lock)) {
    waiting?.();
    do await delay(askAgainMs);
    while (!isTaken(lock));
  }
  return await work();
}

function isTaken(lock: DatabaseSync): boolean {
  try {
    // A journal in memory: the lock writes nothing, so that it is had on a full disk, too.
    lock.exec("PRAGMA journal_mode = memory; BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (error instanceof Error && "errcode" in error && error.errcode === sqliteBusy) return false;
    throw error;
  }
}
