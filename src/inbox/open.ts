import type { StateAddress } from "../state/open.ts";
import type { Inbox, InboxUse } from "./inbox.ts";
import { openPostgresInbox } from "./postgres/open.ts";
import { openSqliteInbox } from "./sqlite/open.ts";

/**
 * Opens the inbox of a project, next to its state.
 * @throws {ConfigError} @throws {StateUnavailableError} as `openSqliteInbox`, `openPostgresInbox`.
 */
export async function openInbox(
  { stateFolder, store }: StateAddress,
  use: InboxUse = {},
): Promise<Inbox> {
  return store === undefined
    ? await openSqliteInbox(stateFolder, use)
    : await openPostgresInbox(store);
}
