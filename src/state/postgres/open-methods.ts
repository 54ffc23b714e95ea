import { rememberedSend, rememberSend } from "../last-send-file.ts";
import type { MethodsOf, StateMethods } from "../state-store.ts";
import { createStoreMethods } from "../store/store-methods.ts";
import type { ClockSource } from "./clock.ts";
import { openPostgresDatabase, type PostgresDatabase } from "./database.ts";
import { createPostgresKeys } from "./keys/postgres-keys.ts";
import { createPermits } from "./permit.ts";
import type { StoreServer } from "./server.ts";
import { asStoreError } from "./store-error.ts";
import { lastSendOf, noteRestored } from "./timeline.ts";
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
    stateFolder,
  }: {
    readonly numberBits?: number | undefined;
    /** @default "database" */
    readonly clock?: ClockSource | undefined;
    /** Of this host, which remembers the last send: a store that knows of less was restored. @default nobody does */
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
    const remember = await lastSendMemory(database, { server, storeId, stateFolder });
    const make = (): MethodsOf<StateMethods> => {
      const methods = {
        ...createStoreMethods(database.state, createPostgresKeys(database, numberBits)),
        ...createPermits(database),
      };
      return {
        ...methods,
        beginStaging: async (input) => {
          const drawn = await methods.beginStaging(input);
          remember(drawn.send);
          return drawn;
        },
      };
    };
    // Behind a store that went back, what its methods remember is not trusted.
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

/**
 * Makes what remembers the last send in the state folder of this host, as a SQLite store does: what was sent after the
 * backup that a store was restored from becomes unknown when it is opened.
 */
async function lastSendMemory(
  database: PostgresDatabase,
  of: {
    readonly server: StoreServer;
    readonly storeId: string;
    readonly stateFolder: string | undefined;
  },
): Promise<(send: number) => void> {
  const { server, storeId, stateFolder } = of;
  if (stateFolder === undefined) return () => undefined;
  // The file first: a send that is drawn meanwhile is in the store before it is in the file.
  const send = rememberedSend(stateFolder, storeId);
  const drawn = await lastSendOf(database.state.queries, server);
  if (drawn !== undefined && send > drawn)
    await database.lockAndWrite(async (queries) => await noteRestored(queries, server, send));
  let last = send;
  return (now) => {
    if (now <= last) return;
    last = now;
    rememberSend(stateFolder, storeId, now);
  };
}
