import { onTestFinished } from "vitest";

import { openInboxDatabase, type InboxDatabase } from "../../../src/inbox/sqlite/database.ts";

/** An event as a test posts it: its JSON, alone or with its id. */
type PostedEvent = string | { readonly json: string; readonly id: string };

/** A test's own inbox, in its own thread. */
export class KeptEvents {
  readonly inbox: InboxDatabase;

  constructor(file: string) {
    const database = openInboxDatabase(file);
    onTestFinished(() => database.close());
    this.inbox = database;
  }

  /** Keeps a delivery, as the receiver does. */
  keep(connection: string, ...events: readonly PostedEvent[]): void {
    const kept = events.map((event) => (typeof event === "string" ? { json: event } : event));
    this.inbox.keep([{ connection, receivedAt: Date.now(), events: kept }]);
  }
}
