import type { StateAddress } from "../state/open.ts";
import { inboxFileIn } from "./file.ts";
import type { InboxReader } from "./inbox.ts";
import { openPostgresReader } from "./postgres/reader.ts";
import { openSqliteReader } from "./sqlite/reader.ts";

/**
 * Opens the inbox of a project for reading, in the calling thread; undefined when there is none yet.
 * @throws {ConfigError} @throws {StateUnavailableError} as `openSqliteReader`, `openPostgresReader`.
 */
export async function openInboxReader({
  stateFolder,
  store,
}: StateAddress): Promise<InboxReader | undefined> {
  if (store === undefined) return openSqliteReader(inboxFileIn(stateFolder));
  return await openPostgresReader(store);
}
