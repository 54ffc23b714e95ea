import { StateUnavailableError } from "../../errors.ts";
import type { StoreServer } from "../../state/postgres/server.ts";
import { createGroupCommit } from "../group-commit.ts";
import type { Inbox } from "../inbox.ts";
import {
  backlogs,
  eraseEvents,
  leavingOf,
  prune,
  setAccepted,
  setLeaving,
  takeWakeUp,
} from "./backlog.ts";
import { askNow } from "./clock.ts";
import { forgetIds } from "./event-ids.ts";
import { keepGroup } from "./keeping.ts";
import { openInboxTables } from "./open-tables.ts";
import { getEvents, readEvents } from "./reading.ts";

/** One for keeping deliveries, one for queries meanwhile. */
const connectionsMax = 2;

/**
 * Opens the inbox in Postgres, for receivers and workers of any number of hosts.
 * @throws {ConfigError} it has no tables, they have another version, or the role lacks permission.
 * @throws {StateUnavailableError} it cannot be reached.
 */
export async function openPostgresInbox(server: StoreServer): Promise<Inbox> {
  const { inboxId, read, write, close } = await openInboxTables(server, connectionsMax);
  let isClosed = false;
  const groups = createGroupCommit(
    async (deliveries) => await write(async (tables) => await keepGroup(tables, deliveries)),
  );
  return {
    inboxId,
    now: async () => await read(askNow),
    keep: async (delivery) => {
      if (isClosed) throw new StateUnavailableError("the inbox was closed");
      return await groups.keep(delivery);
    },
    takeWakeUp: async (input) => await write(async (tables) => await takeWakeUp(tables, input)),
    setAccepted: async (input) => await write(async (tables) => await setAccepted(tables, input)),
    leaving: async (input) => await read(async (tables) => await leavingOf(tables, input)),
    setLeaving: async (input) => await write(async (tables) => await setLeaving(tables, input)),
    backlogs: async () => await read(backlogs),
    read: async (input) => await read(async (tables) => await readEvents(tables, input)),
    get: async (input) => await read(async (tables) => await getEvents(tables, input)),
    prune: async (input) => await write(async (tables) => await prune(tables, input)),
    erase: async (input) => await write(async (tables) => await eraseEvents(tables, input)),
    forgetIds: async (input) => await write(async (tables) => await forgetIds(tables, input)),
    close: async () => {
      isClosed = true;
      await groups.idle();
      await close();
    },
  };
}
