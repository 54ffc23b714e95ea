import type { Kysely } from "kysely";

import { StateUnavailableError } from "../../errors.ts";
import { openPostgresDatabase } from "../../state/postgres/database.ts";
import type { StoreServer } from "../../state/postgres/server.ts";
import { asStoreError } from "../../state/postgres/store-error.ts";
import { createGroupCommit } from "../group-commit.ts";
import type { Inbox } from "../inbox.ts";
import { backlogs, getEvents, prune, readEvents, setAccepted, takeWakeUp } from "./backlog.ts";
import { forgetIds } from "./event-ids.ts";
import { keepGroup } from "./keeping.ts";
import type { InboxTables } from "./tables.ts";

/**
 * Opens the inbox in Postgres, for receivers and workers of any number of hosts.
 * @throws {ConfigError} it has no tables, or the role may not. @throws {StateUnavailableError} it cannot be reached.
 */
export async function openPostgresInbox(server: StoreServer): Promise<Inbox> {
  const database = openPostgresDatabase(server);
  const { queries } = database.state;
  const tables = queries.$extendTables<InboxTables>();
  let isClosed = false;
  /** Has `work` answer, or say what is wrong with the store. */
  const guarded = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (isClosed) throw new StateUnavailableError("the inbox was closed");
    try {
      return await work();
    } catch (error) {
      throw asStoreError(error, server);
    }
  };
  const inTransaction = async <Result>(
    work: (queries: Kysely<InboxTables>) => Promise<Result>,
  ): Promise<Result> =>
    await guarded(
      async () =>
        await database.lockAndWrite(
          async (transaction) => await work(transaction.$extendTables<InboxTables>()),
        ),
    );
  const { value: inboxId } = await guarded(
    async () =>
      await queries
        .selectFrom("meta")
        .select("value")
        .where("name", "=", "inbox_id")
        .executeTakeFirstOrThrow(),
  ).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  const groups = createGroupCommit(
    async (deliveries) => await inTransaction(async (each) => await keepGroup(each, deliveries)),
  );
  return {
    inboxId,
    keep: async (delivery) => {
      if (isClosed) throw new StateUnavailableError("the inbox was closed");
      return await groups.keep(delivery);
    },
    takeWakeUp: async (input) => await inTransaction(async (each) => await takeWakeUp(each, input)),
    setAccepted: async (input) =>
      await inTransaction(async (each) => await setAccepted(each, input)),
    backlogs: async () => await guarded(async () => await backlogs(tables)),
    read: async (input) => await guarded(async () => await readEvents(tables, input)),
    get: async (input) => await guarded(async () => await getEvents(tables, input)),
    prune: async (input) => await inTransaction(async (each) => await prune(each, input)),
    forgetIds: async (input) => await inTransaction(async (each) => await forgetIds(each, input)),
    close: async () => {
      if (isClosed) return;
      await groups.idle();
      isClosed = true;
      await database.close();
    },
  };
}
