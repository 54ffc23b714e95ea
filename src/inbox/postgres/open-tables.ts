import type { Kysely } from "kysely";

import { StateUnavailableError } from "../../errors.ts";
import { openPostgresDatabase } from "../../state/postgres/database.ts";
import type { StoreServer } from "../../state/postgres/server.ts";
import { asStoreError } from "../../state/postgres/store-error.ts";
import { knownFacts } from "../../state/postgres/version.ts";
import { inboxSilenceMsMax } from "../limits.ts";
import type { InboxTables } from "./tables.ts";

type Work<Result> = (tables: Kysely<InboxTables>) => Promise<Result>;

/** The tables of the inbox in Postgres, and the inbox's id. */
export type OpenInboxTables = {
  readonly inboxId: string;
  /** Runs `work`; errors say what is wrong with the store. @throws {ConfigError} @throws {StateUnavailableError} */
  readonly read: <Result>(work: Work<Result>) => Promise<Result>;
  /** The same in a transaction (READ COMMITTED), which is repeated if others interfere. */
  readonly write: <Result>(work: Work<Result>) => Promise<Result>;
  /** Closes the connections after finishing the work under way. */
  readonly close: () => Promise<void>;
};

/**
 * Opens the tables.
 * @throws {ConfigError} there are no tables, they have another version, or the role lacks permission.
 * @throws {StateUnavailableError} the server cannot be reached.
 */
export async function openInboxTables(
  server: StoreServer,
  connectionsMax: number,
): Promise<OpenInboxTables> {
  const how = { connectionsMax, silenceMsMax: inboxSilenceMsMax };
  const database = openPostgresDatabase(server, how);
  const { queries } = database.state;
  const tables = queries.$extendTables<InboxTables>();
  let [isClosed, isOpen] = [false, false];
  const guarded = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (isClosed) throw new StateUnavailableError("the inbox was closed");
    try {
      return await work();
    } catch (error) {
      throw asStoreError(error, server, isOpen);
    }
  };
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    await database.close();
  };
  try {
    const facts = await guarded(async () => await knownFacts(queries, server));
    const inboxId = String(facts.get("inbox_id"));
    database.keepTo({ name: "inbox_id", value: inboxId });
    isOpen = true;
    return {
      inboxId,
      read: async (work) => await guarded(async () => await work(tables)),
      write: async (work) =>
        await guarded(
          async () =>
            await database.lockAndWrite(
              async (transaction) => await work(transaction.$extendTables<InboxTables>()),
            ),
        ),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
