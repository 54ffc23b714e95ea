import type { StateAddress } from "../state/open.ts";
import { inboxFileIn } from "./file.ts";
import type { InboxReader } from "./inbox.ts";
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
  // A command that reads no inbox has no need of a database's driver.
  const { openPostgresReader } = await import("./postgres/reader.ts");
  return await openPostgresReader(store);
}
