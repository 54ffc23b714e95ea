import type { MethodsOf, StateMethods } from "../state-store.ts";
import { createStoreMethods } from "../store/store-methods.ts";
import type { ClockSource } from "./clock.ts";
import { openPostgresDatabase } from "./database.ts";
import { createPostgresKeys } from "./keys/postgres-keys.ts";
import { createPermits } from "./permit.ts";
import { openSendMemory } from "./send-memory.ts";
import type { StoreServer } from "./server.ts";
import { asStoreError } from "./store-error.ts";
import { knownFacts } from "./version.ts";

/**
 * Opens the store in Postgres with every method on it, in the calling thread.
 * @throws {ConfigError} it has no tables, tables of another version, or the role lacks rights.
 * @throws {StateUnavailableError} it cannot be reached.
 */
export async function openPostgresMethods(
  server: StoreServer,
  {
    numberBits,
    clock,
    stateFolder,
  }: {
    readonly numberBits?: number | undefined;
    /** @default "database" */
    readonly clock?: ClockSource | undefined;
    /**
     * The state folder of this host, which remembers the last send: a store that knows only earlier ones was restored.
     * @default only this process remembers
     */
    readonly stateFolder?: string | undefined;
  } = {},
): Promise<{
  readonly storeId: string;
  readonly methods: MethodsOf<StateMethods>;
  readonly close: () => Promise<void>;
}> {
  const database = openPostgresDatabase(server, { clock });
  try {
    const known = await knownFacts(database.state.queries, server);
    const storeId = String(known.get("store_id"));
    database.keepTo({ name: "store_id", value: storeId });
    const memory = await openSendMemory(database, { server, storeId, stateFolder });
    const make = (): MethodsOf<StateMethods> => {
      const methods = {
        ...createStoreMethods(database.state, createPostgresKeys(database, numberBits)),
        ...createPermits(database),
      };
      return {
        ...methods,
        beginStaging: async (input) =>
          await memory.watch(input, async () => await methods.beginStaging(input)),
        beginPart: async (input) => {
          const begun = await methods.beginPart(input);
          if (begun.attempts > 0) memory.leave(begun.send);
          return begun;
        },
        beat: async (input) => {
          await memory.look();
          await methods.beat(input);
        },
      };
    };
    // After a store went back, what its methods remember is not trusted.
    let current = make();
    database.onRestored(() => (current = make()));
    const methods = new Proxy(current, { get: (_, name): unknown => Reflect.get(current, name) });
    const close = async (): Promise<void> => await database.close();
    return { storeId, methods, close };
  } catch (error) {
    await database.close();
    throw asStoreError(error, server);
  }
}
