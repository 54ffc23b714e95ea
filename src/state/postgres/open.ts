import { Worker } from "node:worker_threads";

import { packSecrets } from "../../security/secret.ts";
import { threadFile } from "../../thread.ts";
import { storeThreadLimits } from "../limits.ts";
import { storeInThread } from "../open-thread.ts";
import type { StateStore } from "../state-store.ts";
import { followClock } from "./followed-clock.ts";
import type { StoreServer } from "./server.ts";

/**
 * Opens the store in Postgres, for workers of any number of hosts. Its thread, which hashes keys and holds the
 * connections, ends with `close`.
 * @throws {ConfigError} it has no tables, tables of another version, or the role lacks rights.
 * @throws {StateUnavailableError} it cannot be reached.
 */
export async function openPostgresStore(
  server: StoreServer,
  /** The state folder of this host: see `openPostgresMethods`. */
  { stateFolder }: { readonly stateFolder?: string } = {},
): Promise<StateStore> {
  const thread = new Worker(threadFile("thread", import.meta.url), {
    resourceLimits: storeThreadLimits,
  });
  const store = await storeInThread(thread, packSecrets({ server, stateFolder }));
  const { now, stop } = await followClock(async () => await store.storeTime(Date.now())).catch(
    async (error: unknown) => {
      await store.close();
      throw error;
    },
  );
  return {
    ...store,
    now,
    close: async () => {
      stop();
      await store.close();
    },
  };
}
