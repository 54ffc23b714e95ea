import type { MethodsOf, StateMethods } from "../state-store.ts";
import { createStoreMethods } from "../store/store-methods.ts";
import type { ClockSource } from "./clock.ts";
import { openPostgresDatabase } from "./database.ts";
import { createPostgresKeys } from "./keys/postgres-keys.ts";
import { createPermits } from "./permit.ts";
import type { StoreServer } from "./server.ts";
import { asStoreError } from "./store-error.ts";
import { knownFacts } from "./version.ts";

/**
 * Opens the store in Postgres with every method on it, in the calling thread.
 * @throws {ConfigError} it has no tables, those of another version, or the role may not.
 * @throws {StateUnavailableError} it cannot be reached.
 */
export async function openPostgresMethods(
  server: StoreServer,
  {
    numberBits,
    clock,
  }: { readonly numberBits?: number | undefined; readonly clock?: ClockSource } = {},
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
    return { storeId: String(known.get("store_id")), methods, close };
  } catch (error) {
    await database.close();
    throw asStoreError(error, server);
  }
}
