import { join } from "node:path";

/**
 * The inbox of a state folder: a file of its own, because the store's writers would hold up those who wait
 * for a 2xx.
 */
export function inboxFileIn(stateFolder: string): string {
  return join(stateFolder, "inbox.db");
}
