import { ConfigError, SluiceError, StateUnavailableError } from "../../errors.ts";
import { addressOf } from "../../postgres/address.ts";
import { postgresError, sqlStateOf } from "../../postgres/errors.ts";
import { quoteName } from "../../postgres/names.ts";
import { storeName, type StoreServer } from "./server.ts";
import { versionError } from "./version-error.ts";

/** What `store:` of sluice.yaml gets wrong, by SQLSTATE. */
const configFaults: Readonly<Record<string, string | undefined>> = {
  "28000": "check user, password and pg_hba.conf",
  "28P01": "check user and password",
  "3D000": "check the name of the database",
  "25006": "name the server that takes writes: this one is a standby, or set to be read-only",
};

/** What gives a role the rights that a worker needs. */
function grantsFor({ url, schema }: StoreServer): string {
  const [role, name] = [quoteName(addressOf({ url }).user), quoteName(schema)];
  return (
    `run: grant usage on schema ${name} to ${role}; ` +
    `grant select, insert, update, delete on all tables in schema ${name} to ${role};`
  );
}

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
    hint: "check that the server runs and can be reached from here: what waits continues by itself",
  });
}
