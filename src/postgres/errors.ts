import { DatabaseError } from "pg";

import { ConfigError, messageOf, SluiceError, SourceAuthError, RetryLater } from "../errors.ts";
import { unresolvedMsMax } from "../limits.ts";

/** How long to wait for a server that has too many connections. */
const tooManyConnectionsMs = 10 * 60_000;

/** How long to wait for a standby that is to be written to: it may be about to take over. */
const takeOverMsMax = 10 * 60_000;

/** What a fault means, and what to do about it. */
type Meaning = {
  readonly kind: "config" | "auth" | "unavailable";
  readonly hint?: string;
  /** What to do if the failed operation was a write. @default `hint` */
  readonly hintOfWrite?: string;
  readonly field?: string;
  /** How long a `config` fault is retried before it counts. */
  readonly retryBudgetMs?: number;
  /** The same for a write. @default `retryBudgetMs` */
  readonly retryBudgetOfWriteMs?: number;
};

const unavailable: Meaning = { kind: "unavailable" };

const unreached: Meaning = {
  kind: "unavailable",
  hint: "Check the address, and whether the server runs and may be reached from here.",
};

const login: Meaning = {
  kind: "auth",
  field: "url",
  hint: "Check user, password and pg_hba.conf.",
};

const tls: Meaning = {
  kind: "config",
  field: "tls",
  hint: "Give the authority's certificate as ca_file, and connect by the name in the server's certificate.",
};

const noTls: Meaning = {
  kind: "config",
  field: "tls",
  hint: "Turn TLS on in the server; within a network you trust, set tls: off.",
};

/** The SQLSTATE of a missing right. */
const noRight = "42501";

/** The server's function that refuses to hide rows where row_security is off. */
const hidesRows = "check_enable_rls";

const hiddenRows =
  "The role has row_security off: give it bypassrls, or turn row_security on for it, and it reads what the " +
  "policies show.";

const askPsql = "Read it with psql as the same role: what Postgres says there says more.";

/** Data exceptions: psql shows the value, which is not quoted here. */
const ofValue =
  "Read it with psql as the same role, which names the value. If it reads well there, the checkpoint has a value " +
  "that no longer exists, as when one of an enum was renamed: `sluice state reset` has it read anew.";

/** By SQLSTATE, or by the code of a system or TLS error. */
const meanings: Readonly<Record<string, Meaning | undefined>> = {
  "28000": login,
  "28P01": login,
  "3D000": { kind: "auth", field: "url", hint: "Check the name of the database." },
  "42P01": { kind: "config", field: "table", hint: "Check schema and table, letter by letter." },
  "3F000": { kind: "config", field: "table", hint: "Check the schema." },
  "42703": { kind: "config", hint: "Check the names of the columns, letter by letter." },
  "42883": {
    kind: "config",
    hint: "If it is a key or change column that has no order, as json, cast it in a query: select id::text as id, ….",
  },
  [noRight]: { kind: "config" },
  "25006": {
    kind: "config",
    hint: "Connect to a server that takes writes, or leave them away.",
    hintOfWrite: "Connect to the server that takes writes, unless this one is about to.",
    retryBudgetOfWriteMs: takeOverMsMax,
  },
  "53100": {
    kind: "unavailable",
    hint: "Make room on the disk of the server: waiting work continues by itself.",
  },
  "53300": {
    kind: "config",
    hint: "Raise max_connections, or run fewer workers.",
    retryBudgetMs: tooManyConnectionsMs,
  },
  // A limit of the role or the server: work that waited for room would wait forever.
  "53400": {
    kind: "config",
    hint: "Index the change column and the key together, or raise temp_file_limit for the role.",
    hintOfWrite: "Raise temp_file_limit for the role.",
  },
  "57014": {
    kind: "config",
    field: "statement_timeout",
    hint: "Index the change column and the key together, or raise statement_timeout.",
    hintOfWrite:
      "Look for a slow trigger of the table that is written, or raise statement_timeout.",
  },
  "40001": unavailable,
  "40P01": unavailable,
  "55P03": unavailable,
  "58030": unavailable,
  ENOTFOUND: {
    kind: "config",
    field: "url",
    hint: "Check the host.",
    retryBudgetMs: unresolvedMsMax,
  },
  EAI_AGAIN: {
    kind: "config",
    field: "url",
    hint: "Check the host and the name server.",
    retryBudgetMs: unresolvedMsMax,
  },
  EACCES: { kind: "config", field: "url", hint: "Let this user use the socket." },
  DEPTH_ZERO_SELF_SIGNED_CERT: tls,
  SELF_SIGNED_CERT_IN_CHAIN: tls,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: tls,
  UNABLE_TO_GET_ISSUER_CERT: tls,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: tls,
  CERT_HAS_EXPIRED: tls,
  CERT_NOT_YET_VALID: tls,
  ERR_TLS_CERT_ALTNAME_INVALID: tls,
};

/** Classes of SQLSTATE: lost connections, resources, an operator's shutdown, the server's disk. */
const unavailableClass = /^(?:08|53|57P|58)/;

/** Classes whose messages quote values: data exceptions and violated constraints. */
const quotesValues = /^2[23]/;

/** Classes of the states that the server itself and its extensions use; functions may raise any other. */
const ownClass = /^(?:[0-2].|3[0-7A-Z]|4[0-24]|5[34578]|72|F0|HV|XX)/;

/** The server's functions by which those of a database raise an error, with any state: PL/pgSQL, Python, Perl, Tcl. */
const raises = /^(?:exec_stmt_raise|PLy_elog|plperl_|throw_tcl_error)/;

/** Whether a function of the database raised this error: as `P0001`, or with a state that its author chose. */
export function isOfFunction({ code = "", routine = "" }: DatabaseError): boolean {
  return raises.test(routine) || !ownClass.test(code);
}

/** The messages of pg and Node for a connection that was lost or never made. */
const lostConnection = new RegExp(
  "^(?:Connection terminated|Client (?:has encountered|was closed)|timeout expired|" +
    "Client network socket disconnected|There was an error establishing)",
);

/** The SQLSTATE of a statement that the server refused; undefined for any other error. */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

/**
 * Turns a failed connection or statement into the error that it means. `where` names the server, `grant` says how to
 * fix a missing right; `isWrite` says that it was a write. The error holds neither the password nor a value of a row;
 * pg's own error, which may, is not its cause.
 */
export function postgresError(
  error: unknown,
  at: { readonly where: string; readonly grant: string; readonly isWrite?: boolean | undefined },
): Error {
  if (error instanceof SluiceError) return error;
  // Several addresses were tried, and each has an error of its own.
  if (error instanceof AggregateError) return postgresError(error.errors[0], at);
  const meaning = meaningOf(error);
  if (meaning === undefined) return error instanceof Error ? error : new Error(messageOf(error));
  const { kind, field } = meaning;
  const ofWrite = at.isWrite === true ? meaning.retryBudgetOfWriteMs : undefined;
  const retryBudgetMs = ofWrite ?? meaning.retryBudgetMs;
  const hint = hintOf(error, meaning, at);
  const said = textOf(error);
  const message = `${at.where}: ${said}`;
  const facts = { hint, field, cause: new Error(said) };
  if (kind === "unavailable") return new RetryLater(message, facts);
  if (kind === "auth") return new SourceAuthError(message, facts);
  return new ConfigError(message, { ...facts, retryBudgetMs });
}

function hintOf(
  error: unknown,
  { kind, hint, hintOfWrite }: Meaning,
  { grant, isWrite }: Parameters<typeof postgresError>[1],
): string | undefined {
  const state = sqlStateOf(error);
  if (error instanceof DatabaseError && error.routine === hidesRows) return hiddenRows;
  if (state === noRight) return grant;
  if (isWrite === true && hintOfWrite !== undefined) return hintOfWrite;
  if (hint !== undefined || kind !== "config") return hint;
  return state?.startsWith("22") === true ? ofValue : askPsql;
}

function meaningOf(error: unknown): Meaning | undefined {
  const state = sqlStateOf(error);
  if (state !== undefined) {
    return meanings[state] ?? (unavailableClass.test(state) ? unavailable : { kind: "config" });
  }
  if (!(error instanceof Error)) return undefined;
  const { message } = error;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (meanings[code] !== undefined) return meanings[code];
  if (/^ERR_(?:SSL|TLS)_/.test(code)) return tls;
  if (message.startsWith("SASL")) return login;
  if (message === "The server does not support SSL connections") return noTls;
  const isOfSystem = "syscall" in error || /^ERR_(?:STREAM|SOCKET)_/.test(code);
  return isOfSystem || lostConnection.test(message) ? unreached : undefined;
}

function textOf(error: unknown): string {
  const state = sqlStateOf(error);
  if (state === undefined) return messageOf(error);
  const mayQuote =
    quotesValues.test(state) || (error instanceof DatabaseError && isOfFunction(error));
  return mayQuote ? `SQLSTATE ${state}` : `${messageOf(error)} (${state})`;
}
