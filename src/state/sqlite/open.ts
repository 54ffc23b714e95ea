import { once } from "node:events";
import { join } from "node:path";
import { MessageChannel, Worker } from "node:worker_threads";

import { threadFile, unpackError, type PackedError } from "../../thread.ts";
import { stateOnPort } from "../port.ts";
import type { StateStore } from "../state-store.ts";

/** A thread that loads its code, and has no store yet. */
let spare: Worker | undefined;

/**
 * Starts the thread of the store that is opened next, so that it loads its code while the configuration is
 * read. Nothing is opened, and a process that opens nothing ends as it would without.
 */
export function startStoreThread(): void {
  spare ??= new Worker(threadFile("thread", import.meta.url));
  spare.unref();
}

/**
 * Opens the SQLite store of a state folder, for workers that share one host. Its thread ends with `close`.
 * @throws {ConfigError} the folder is on a network file system, or its file was made by a newer sluice.
 * @throws {StateUnavailableError} the file cannot be opened or written.
 */
export async function openSqliteStore(
  stateFolder: string,
  /** A store that is only to be read is also opened where it cannot be written. */
  { onlyReads = false } = {},
): Promise<StateStore> {
  const file = join(stateFolder, "state.db");
  const thread = spare ?? new Worker(threadFile("thread", import.meta.url));
  spare = undefined;
  thread.ref();
  thread.postMessage({ file, onlyReads });
  const storeId = await new Promise<string>((resolve, reject) => {
    thread.once("message", (opened: { storeId: string } | { error: PackedError }) => {
      if ("storeId" in opened) resolve(opened.storeId);
      else reject(unpackError(opened.error));
    });
    thread.once("error", reject);
  });
  thread.unref();
  const openPort: StateStore["openPort"] = () => {
    const { port1, port2 } = new MessageChannel();
    thread.postMessage({ port: port1 }, [port1]);
    return port2;
  };
  const client = stateOnPort(openPort());
  return {
    ...client,
    storeId,
    openPort,
    close: async () => {
      const ended = once(thread, "exit");
      thread.ref();
      thread.postMessage("close");
      await ended;
    },
  };
}
