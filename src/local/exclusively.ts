import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";

import { makePrivateFile, makePrivateFolder } from "../security/private-file.ts";

/** How often a held lock is tried again. */
const askAgainMs = 50;

/** SQLite's result code for a lock held by somebody else. */
const sqliteBusy = 5;

/**
 * Runs `work` while no other caller, in this process or another, runs theirs under the same `path`.
 * Calls `waiting` once if it has to wait for somebody. The lock is SQLite's on an empty file: the
 * operating system frees it when its holder dies, however it dies, so no lock is ever stale.
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
    // A journal in memory: the lock writes nothing, so it can be taken on a full disk, too.
    lock.exec("PRAGMA journal_mode = memory; BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (error instanceof Error && "errcode" in error && error.errcode === sqliteBusy) return false;
    throw error;
  }
}
