import type { StateAddress } from "../state/open.ts";
import { inboxFileIn } from "./file.ts";
import type { InboxReader } from "./inbox.ts";

/**
 * Opens the inbox of a project for reading, in the calling thread; undefined when there is none yet.
 * @throws {ConfigError} @throws {StateUnavailableError} as `openSqliteReader`, `openPostgresReader`.
 */
export async function openInboxReader({
  stateFolder,
  store,
}: StateAddress): Promise<InboxReader | undefined> {
  // Imported on demand: code that reads no inbox, such as every thread that stages, needs no database driver.
  if (store === undefined) {
    const { openSqliteReader } = await import("./sqlite/reader.ts");
    return openSqliteReader(inboxFileIn(stateFolder));
  }
  const { openPostgresReader } = await import("./postgres/reader.ts");
  return await openPostgresReader(store);
}
