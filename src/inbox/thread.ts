// The inbox's thread: SQLite is synchronous, and an fsync must never hold up those who are being received.
import { parentPort, workerData } from "node:worker_threads";

import { z } from "zod";

import { packError } from "../thread.ts";
import { openInboxDatabase, type InboxDatabase } from "./database.ts";
import type { InboxReply, InboxRequest } from "./open.ts";

const { file } = z.object({ file: z.string() }).parse(workerData);

/** The inbox, or undefined: then its opener has been told why, and this thread ends. */
function open(): InboxDatabase | undefined {
  try {
    return openInboxDatabase(file);
  } catch (error) {
    parentPort?.postMessage({ error: packError(error) });
    return undefined;
  }
}

const inbox = open();
if (inbox !== undefined) {
  const { inboxId, close, ...methods } = inbox;
  const answer = ({ method, input }: InboxRequest): InboxReply => {
    try {
      return { result: Reflect.apply(methods[method], undefined, input), error: undefined };
    } catch (error) {
      return { result: undefined, error: packError(error) };
    }
  };
  parentPort?.on("message", (request: InboxRequest | "close") => {
    if (request === "close") {
      close();
      process.exit(0);
    }
    parentPort?.postMessage(answer(request));
  });
  parentPort?.postMessage({ inboxId });
}
