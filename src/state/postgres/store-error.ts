import { ConfigError, SluiceError, StateUnavailableError } from "../../errors.ts";
import { postgresError, sqlStateOf } from "../../postgres/errors.ts";
import { storeSteps } from "./schema.ts";
import { grantsFor, storeName, type StoreServer } from "./server.ts";

/** The error for a store whose schema has another version than this sluice needs; 0 means that it has no tables. */
export function versionError(
  version: number,
  server: StoreServer,
  /** How long Temporal lets others try. @default not at all */
  retryBudgetMs?: number,
): ConfigError {
  const where = storeName(server);
  if (version > storeSteps.length) {
    return new ConfigError(
      `${where} has schema version ${version}; this sluice knows versions up to ${storeSteps.length}`,
      {
        field: "store",
        hint: "upgrade sluice here to the version that runs on the other hosts",
        retryBudgetMs,
      },
    );
  }
  const message =
    version === 0
      ? `${where} has no tables yet`
      : `${where} has schema version ${version}; this sluice needs version ${storeSteps.length}`;
  const hint = "run `sluice store migrate` once, with a role that may create tables";
  return new ConfigError(message, { field: "store", hint, retryBudgetMs });
}

/**
 * The error for a process whose store is gone, or was replaced by another: what it knows is about the old one, and
 * nobody should create tables for it to continue with.
 */
export function otherStoreError(server: StoreServer): StateUnavailableError {
  return new StateUnavailableError(
    `${storeName(server)} is not there any more, or is another one than this process began with`,
    {
      hint:
        "restore it, or have `store.url` lead to the server that has it: waiting work continues then; where it is " +
        "gone for good, start this process once more",
    },
  );
}

/** What to check in `store:` of sluice.yaml, by SQLSTATE. */
const configFaults: Readonly<Record<string, string | undefined>> = {
  "28000": "check user, password and pg_hba.conf",
  "28P01": "check user and password",
  "3D000": "check the name of the database",
};

/** The field and the hint if a refusal is about the configuration or the rights of its role; otherwise undefined. */
function configFault(
  state: string | undefined,
  server: StoreServer,
): { readonly field: string; readonly hint: string } | undefined {
  if (state === "42501") return { field: "store", hint: grantsFor(server) };
  const hint = configFaults[state ?? ""];
  return hint === undefined ? undefined : { field: "store.url", hint };
}

const hintOfStandby =
  "name the server that takes writes in `store.url`, unless this one is about to: waiting work continues then";

/** What to do while the store cannot be used; a standby may take over meanwhile. */
const hints: Readonly<Record<string, string | undefined>> = {
  "25006": hintOfStandby,
  // A standby does not say on which timeline it is.
  "55000": hintOfStandby,
  "53100": "make room on the disk of that server: waiting work continues by itself",
  "53300":
    "raise max_connections of the server, or run fewer processes that use it: waiting work continues by itself",
  "53400": "raise temp_file_limit for the role in `store.url`: waiting work continues then",
  "57014": "set statement_timeout to 0 for the role in `store.url`: waiting work continues then",
};

/** PgBouncer's words for a transaction in its mode `statement`; its other complaints have the same SQLSTATE. */
const byStatement = "statement pooling mode";

const hintOfStatements =
  "have the pooler pool by transaction (`pool_mode`), or `store.url` lead to the server itself: waiting work " +
  "continues then";

const hintOfAway =
  "check that the server runs and can be reached from here: waiting work continues by itself";

/** A store has no `ca_file`: Node trusts the file in NODE_EXTRA_CA_CERTS from its start, in all of its threads. */
const hintOfCertificate =
  "name the file of the authority's certificate in NODE_EXTRA_CA_CERTS when sluice starts, and have `store.url` name " +
  "the host as the server's certificate does";

const hintOfNoTls = "turn TLS on in the server: waiting work continues then";

/** What to do about an error that another attempt may not meet. */
function hintOf(said: Error, state: string | undefined): string {
  if (said instanceof ConfigError && said.field === "tls") {
    return said.message.includes("does not support SSL") ? hintOfNoTls : hintOfCertificate;
  }
  if (said.message.includes(byStatement)) return hintOfStatements;
  return hints[state ?? ""] ?? hintOfAway;
}

/**
 * Turns a fault of the store in Postgres into an error that a caller can act on; our own errors pass unchanged. It
 * holds neither the password nor a value of a row.
 */
export function asStoreError(
  error: unknown,
  server: StoreServer,
  /** Whether the store was there when its process began. */
  isOpen = false,
): unknown {
  if (error instanceof SluiceError) return error;
  const where = storeName(server);
  const state = sqlStateOf(error);
  if (state === "42P01" || state === "3F000")
    return isOpen ? otherStoreError(server) : versionError(0, server);
  // Data exceptions: not a fault of the store, which still takes other values.
  if (state?.startsWith("22") === true) {
    return new Error(`${where}: it does not take a value (SQLSTATE ${state})`);
  }
  const said = postgresError(error, { where, grant: "" });
  // Not an error from a server or a connection.
  if (said === error) return error;
  const fault = configFault(state, server);
  if (fault !== undefined) {
    // The server let this process in before: one that is restored or moved has its databases before its roles.
    if (isOpen) return new StateUnavailableError(said.message, { cause: said.cause, ...fault });
    return new ConfigError(said.message, fault);
  }
  const text = said.message.startsWith(where) ? said.message : `${where}: ${said.message}`;
  const hint = hintOf(said, state);
  // A name without an address, too, is for a person to fix.
  const isAway = hint === hintOfAway && !(said instanceof ConfigError);
  return new StateUnavailableError(text, { cause: said.cause, hint, isAway });
}
