import { ConfigError } from "../../errors.ts";
import type { StoreServer } from "../../state/postgres/server.ts";
import type { InboxReader } from "../inbox.ts";
import { unfitStoreMsMax } from "../limits.ts";
import { openInboxTables } from "./open-tables.ts";
import { getEvents, heldEvents, lastSeqOf, readEvents } from "./reading.ts";

/** A source reads one page after the other. */
const connectionsMax = 1;

/**
 * A store's fault with time to retry it: a run opens the store anew for each chunk, even when a standby is about to
 * take over or a backup is being restored.
 */
function forWhoWaits(error: unknown): unknown {
  if (!(error instanceof ConfigError)) return error;
  const { message, field, hint } = error;
  return new ConfigError(message, { field, hint, retryBudgetMs: unfitStoreMsMax });
}

/**
 * Opens the inbox in Postgres for reading.
 * @throws {ConfigError} @throws {StateUnavailableError} as `openPostgresInbox`.
 */
export async function openPostgresReader(server: StoreServer): Promise<InboxReader> {
  const opening = openInboxTables(server, connectionsMax);
  const { inboxId, read, close } = await opening.catch((error: unknown) => {
    throw forWhoWaits(error);
  });
  return {
    inboxId,
    last: async (connection) => await read(async (tables) => await lastSeqOf(tables, connection)),
    held: async (span) => await read(async (tables) => await heldEvents(tables, span)),
    read: async (input) => await read(async (tables) => await readEvents(tables, input)),
    get: async (input) => await read(async (tables) => await getEvents(tables, input)),
    close,
  };
}
