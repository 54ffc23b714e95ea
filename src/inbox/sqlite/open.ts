import { Worker } from "node:worker_threads";

import { StateUnavailableError } from "../../errors.ts";
import {
  createCalls,
  threadFile,
  unpackError,
  type PackedError,
  type Remote,
} from "../../thread.ts";
import { inboxFileIn } from "../file.ts";
import { createGroupCommit } from "../group-commit.ts";
import type { Inbox, InboxUse } from "../inbox.ts";
import type { InboxDatabase } from "./database.ts";

/** The first message of the inbox's thread: the inbox's id and the methods to call, or why it cannot be opened. */
export type Opened =
  | { readonly inboxId: string; readonly methods: readonly string[] }
  | { readonly error: PackedError };

/**
 * Opens the inbox in a state folder, for all processes of one host. Its thread ends with `close`, which waits for
 * deliveries that are being kept.
 * @throws {ConfigError} the folder is on a network file system, or its file was made by a newer sluice.
 * @throws {StateUnavailableError} the file cannot be opened or written.
 */
export async function openSqliteInbox(
  stateFolder: string,
  { onlyReads = false }: InboxUse = {},
): Promise<Inbox> {
  const workerData = { file: inboxFileIn(stateFolder), onlyReads };
  const thread = new Worker(threadFile("thread", import.meta.url), { workerData });
  const opened = await new Promise<Opened>((resolve, reject) => {
    thread.once("message", resolve);
    thread.once("error", reject);
  });
  if ("error" in opened) throw unpackError(opened.error);
  const ended = new Promise((resolve) => thread.once("exit", resolve));
  const { keep, close, ...methods } = methodsOn(thread, opened.methods);
  const groups = createGroupCommit(keep);
  return {
    ...methods,
    inboxId: opened.inboxId,
    keep: groups.keep,
    close: async () => {
      await groups.idle();
      // This is a call, and therefore the last to be answered: an answer after `ref` would unref the thread again. A
      // thread that has ended takes no call, and has nothing left to close.
      await close().catch(() => undefined);
      thread.ref();
      await ended;
    },
  };
}

function methodsOn(
  thread: Worker,
  names: readonly string[],
): Remote<Omit<InboxDatabase, "inboxId">>;
function methodsOn(thread: Worker, names: readonly string[]): object {
  // An overload: a loop cannot show the compiler that each name has its own method.
  const call = createCalls(
    thread,
    (cause) => new StateUnavailableError("the inbox was closed, or its thread ended", { cause }),
  );
  const methods = names.map((method) => {
    const remote = async (...input: unknown[]): Promise<unknown> => await call({ method, input });
    return [method, remote] as const;
  });
  return Object.fromEntries(methods);
}
