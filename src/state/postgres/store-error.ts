import { ConfigError, SluiceError, StateUnavailableError } from "../../errors.ts";
import { postgresError, sqlStateOf } from "../../postgres/errors.ts";
import { grantsFor, storeName, type StoreServer } from "./server.ts";
import { versionError } from "./version-error.ts";

/** What `store:` of sluice.yaml gets wrong, by SQLSTATE. */
const configFaults: Readonly<Record<string, string | undefined>> = {
  "28000": "check user, password and pg_hba.conf",
  "28P01": "check user and password",
  "3D000": "check the name of the database",
};

/** What to do while the store cannot be used; a standby may take over meanwhile. */
const hints: Readonly<Record<string, string | undefined>> = {
  "25006":
    "name the server that takes writes in `store.url`, unless this one is about to: what waits continues then",
};

const hintOfAway =
  "check that the server runs and can be reached from here: what waits continues by itself";

/**
 * A fault of the store in Postgres as the error that a caller can act on; errors of ours pass unchanged. It holds
 * neither the password nor a value of a row.
 */
export function asStoreError(error: unknown, server: StoreServer): unknown {
  if (error instanceof SluiceError) return error;
  const where = storeName(server);
  const state = sqlStateOf(error);
  if (state === "42P01" || state === "3F000") return versionError(0, server);
  // Data exceptions: no fault of the store, which can be used for other values.
  if (state?.startsWith("22") === true) {
    return new Error(`${where}: it does not take a value (SQLSTATE ${state})`);
  }
  const fault = configFaults[state ?? ""];
  const said = postgresError(error, { where, grant: "" });
  // Nothing that a server or a connection says.
  if (said === error) return error;
  if (state === "42501") {
    return new ConfigError(said.message, { field: "store", hint: grantsFor(server) });
  }
  if (fault !== undefined)
    return new ConfigError(said.message, { field: "store.url", hint: fault });
  const text = said.message.startsWith(where) ? said.message : `${where}: ${said.message}`;
  return new StateUnavailableError(text, {
    cause: said.cause,
    hint: hints[state ?? ""] ?? hintOfAway,
  });
}
