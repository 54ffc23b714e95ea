// The inbox's thread: SQLite is synchronous, and an fsync must never hold up deliveries that are being received.
import { parentPort, workerData } from "node:worker_threads";

import { z } from "zod";

import { answerCall, packError, type ThreadCall } from "../../thread.ts";
import { openInboxDatabase, type InboxDatabase } from "./database.ts";
import type { Opened } from "./open.ts";

const { file, ...use } = z.object({ file: z.string(), onlyReads: z.boolean() }).parse(workerData);

/** The inbox, or undefined: then its opener has received the reason, and this thread ends. */
function open(): InboxDatabase | undefined {
  try {
    return openInboxDatabase(file, use);
  } catch (error) {
    parentPort?.postMessage({ error: packError(error) });
    return undefined;
  }
}

const inbox = open();
if (inbox !== undefined) {
  const { inboxId, ...methods } = inbox;
  parentPort?.on("message", (call: ThreadCall) => {
    parentPort?.postMessage(answerCall(call, methods));
    if (call.method === "close") parentPort?.close();
  });
  parentPort?.postMessage({ inboxId, methods: Object.keys(methods) } satisfies Opened);
}
