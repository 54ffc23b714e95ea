import { join } from "node:path";
import { Worker } from "node:worker_threads";

import { threadFile } from "../../thread.ts";
import { storeThreadLimits } from "../limits.ts";
import { storeInThread } from "../open-thread.ts";
import type { StateStore } from "../state-store.ts";

/** A thread that is loading its code and has no store yet. */
let spare: Worker | undefined;

function startThread(): Worker {
  return new Worker(threadFile("thread", import.meta.url), { resourceLimits: storeThreadLimits });
}

/**
 * Starts the thread of the store that is opened next, so that it loads its code while the configuration is read.
 * Nothing is opened, and the thread does not keep a process alive that opens nothing.
 */
export function startStoreThread(): void {
  spare ??= startThread();
  spare.unref();
}

/**
 * Opens the SQLite store of a state folder, for workers that share one host. Its thread ends with `close`.
 * @throws {ConfigError} the folder is on a network file system, or its file was made by a newer sluice.
 * @throws {StateUnavailableError} the file cannot be opened or written.
 */
export async function openSqliteStore(
  stateFolder: string,
  /** A store that is only read is opened even if it cannot be written. */
  { onlyReads = false } = {},
): Promise<StateStore> {
  const file = join(stateFolder, "state.db");
  const thread = spare ?? startThread();
  spare = undefined;
  return await storeInThread(thread, { file, onlyReads });
}
