import type { StoreServer } from "../../state/postgres/server.ts";
import type { InboxReader } from "../inbox.ts";
import { openInboxTables } from "./open-tables.ts";
import { getEvents, heldEvents, lastSeqOf, readEvents } from "./reading.ts";

/** A source reads one page after the other. */
const connectionsMax = 1;

/**
 * Opens the inbox in Postgres for reading.
 * @throws {ConfigError} @throws {StateUnavailableError} as `openPostgresInbox`.
 */
export async function openPostgresReader(server: StoreServer): Promise<InboxReader> {
  const { inboxId, read, close } = await openInboxTables(server, connectionsMax);
  return {
    inboxId,
    last: async (connection) => await read(async (tables) => await lastSeqOf(tables, connection)),
    held: async (span) => await read(async (tables) => await heldEvents(tables, span)),
    read: async (input) => await read(async (tables) => await readEvents(tables, input)),
    get: async (input) => await read(async (tables) => await getEvents(tables, input)),
    close,
  };
}
