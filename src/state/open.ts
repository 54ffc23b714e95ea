import { existsSync } from "node:fs";
import { join } from "node:path";

import { ConfigError } from "../errors.ts";
import { openPostgresStore } from "./postgres/open.ts";
import type { StoreServer } from "./postgres/server.ts";
import { openSqliteStore } from "./sqlite/open.ts";
import type { StateStore } from "./state-store.ts";

/** Where a project's state is. */
export type StateAddress = {
  readonly stateFolder: string;
  /** Undefined: in the state folder. */
  readonly store?: StoreServer | undefined;
};

/**
 * Opens the store of a project.
 * @throws {ConfigError} @throws {StateUnavailableError} as `openSqliteStore`, `openPostgresStore`; also where the state
 * folder holds runs of before the store was in Postgres.
 */
export async function openStateStore(
  { stateFolder, store }: StateAddress,
  how: { readonly onlyReads?: boolean } = {},
): Promise<StateStore> {
  if (store === undefined) return await openSqliteStore(stateFolder, how);
  await refuseOlderRuns(stateFolder);
  return await openPostgresStore(store, stateFolder);
}

async function refuseOlderRuns(stateFolder: string): Promise<void> {
  const file = join(stateFolder, "state.db");
  if (!existsSync(file)) return;
  const older = await openSqliteStore(stateFolder, { onlyReads: true });
  try {
    if ((await older.runs({ limit: 1 })).length === 0) return;
  } finally {
    await older.close();
  }
  throw new ConfigError(`${file} holds runs of this project, and \`store\` names another store`, {
    field: "store",
    hint:
      "take `store` out of sluice.yaml to continue with it; or move the file away, and all records are sent again " +
      "from the beginning",
  });
}
