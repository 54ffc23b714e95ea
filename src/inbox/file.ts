import { join } from "node:path";

/** The inbox of a state folder: a separate file, because the store's writers would delay senders waiting for a 2xx. */
export function inboxFileIn(stateFolder: string): string {
  return join(stateFolder, "inbox.db");
}
