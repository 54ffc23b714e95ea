import { rememberedSend, rememberSend } from "../last-send-file.ts";
import { inStateFolder } from "../sqlite/state-fault.ts";
import type { MethodsOf, StateMethods } from "../state-store.ts";
import { createStoreMethods } from "../store/store-methods.ts";
import type { ClockSource } from "./clock.ts";
import { openPostgresDatabase } from "./database.ts";
import { createPostgresKeys } from "./keys/postgres-keys.ts";
import { createPermits } from "./permit.ts";
import { forgetWhereRestored } from "./restored.ts";
import type { StoreServer } from "./server.ts";
import { asStoreError } from "./store-error.ts";
import { knownFacts } from "./version.ts";

/** How a store in Postgres is opened. */
type PostgresOptions = {
  readonly numberBits?: number | undefined;
  /** @default "database" */
  readonly clock?: ClockSource | undefined;
  /** Where this host remembers its last send. @default it does not */
  readonly stateFolder?: string | undefined;
};

/**
 * Opens the store in Postgres with every method on it, in the calling thread.
 * @throws {ConfigError} it has no tables, those of another version, or the role may not.
 * @throws {StateUnavailableError} it cannot be reached.
 */
export async function openPostgresMethods(
  server: StoreServer,
  { numberBits, clock, stateFolder }: PostgresOptions = {},
): Promise<{
  readonly storeId: string;
  readonly methods: MethodsOf<StateMethods>;
  readonly close: () => Promise<void>;
}> {
  const database = openPostgresDatabase(server, { clock });
  try {
    const known = await knownFacts(database.state.queries, server);
    const methods = {
      ...createStoreMethods(database.state, createPostgresKeys(database, numberBits)),
      ...createPermits(database),
    };
    const close = async (): Promise<void> => await database.close();
    const storeId = String(known.get("store_id"));
    if (stateFolder === undefined) return { storeId, methods, close };
    await forgetWhereRestored(database, rememberedSend(stateFolder, storeId));
    const beginStaging: typeof methods.beginStaging = async (input) => {
      const drawn = await methods.beginStaging(input);
      // Before its first part may leave; of two processes of this host the later number stays.
      if (drawn.send > rememberedSend(stateFolder, storeId)) {
        await inStateFolder(stateFolder, async () =>
          rememberSend(stateFolder, storeId, drawn.send),
        );
      }
      return drawn;
    };
    return { storeId, methods: { ...methods, beginStaging }, close };
  } catch (error) {
    await database.close();
    throw asStoreError(error, server);
  }
}
