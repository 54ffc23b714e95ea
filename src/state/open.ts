import { join } from "node:path";

import { ConfigError } from "../errors.ts";
import { inboxFileIn } from "../inbox/file.ts";
import { openPostgresStore } from "./postgres/open.ts";
import type { StoreServer } from "./postgres/server.ts";
import { openSqliteStore } from "./sqlite/open.ts";
import { holdsRows, movedToOf } from "./sqlite/unopened.ts";
import type { StateStore } from "./state-store.ts";

/** Where a project's state is. */
export type StateAddress = {
  readonly stateFolder: string;
  /** Undefined for the state folder. */
  readonly store?: StoreServer | undefined;
};

/**
 * Opens the store of a project.
 * @throws {ConfigError} @throws {StateUnavailableError} as `openSqliteStore` and `openPostgresStore` do; also if the
 * state folder holds runs or events from before the store was in Postgres.
 */
export async function openStateStore(
  { stateFolder, store }: StateAddress,
  how: { readonly onlyReads?: boolean } = {},
): Promise<StateStore> {
  if (store === undefined) return await openSqliteStore(stateFolder, how);
  refuseOlderRuns(stateFolder);
  return await openPostgresStore(store, { stateFolder });
}

function refuseOlderRuns(stateFolder: string): void {
  const held = [
    { file: join(stateFolder, "state.db"), table: "runs" as const },
    { file: inboxFileIn(stateFolder), table: "events" as const },
  ].find(({ file, table }) => movedToOf(file) === undefined && holdsRows(file, table));
  if (held === undefined) return;
  throw new ConfigError(
    `${held.file} holds ${held.table} of this project, and \`store\` names another store`,
    {
      field: "store",
      hint:
        "`sluice store copy --to postgres` moves them there; or take `store` out of sluice.yaml to continue here; or " +
        "move the file away, and all records are sent again from the beginning",
    },
  );
}
