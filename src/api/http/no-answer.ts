import {
  ApiContractError,
  ApiUnavailableError,
  ConfigError,
  OutcomeUnknownError,
  SluiceError,
} from "../../errors.ts";
import type { RetryBudget } from "../../errors.ts";
import { unresolvedMsMax } from "../../limits.ts";
import { endpointOf } from "../endpoints.ts";
import type { Exchange } from "../exchange.ts";
import { faultTimesMax } from "../limits.ts";

/** Codes of an untrusted certificate, or of a server that does not speak TLS; a cut handshake is a reset. */
const tlsCode = new RegExp(
  "^(CERT_|ERR_TLS_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF|UNABLE_TO_(GET|VERIFY|DECRYPT)|" +
    "UND_ERR_PRX_TLS|ERR_SSL_(WRONG_VERSION|PACKET_LENGTH|UNSUPPORTED_PROTOCOL|" +
    ".*HANDSHAKE_FAILURE|.*ALERT_PROTOCOL_VERSION))",
);

/** Says what a missing answer means. A SluiceError thrown on the way, by file or lookup, is returned unchanged. */
export function classifyFailure(exchange: Exchange, error: unknown): SluiceError {
  if (error instanceof SluiceError) return error;
  const { what, endpoint } = exchange;
  const code = codeOf(error);
  // A parser's error carries the answer's bytes, which must not be kept.
  const cause = error instanceof Error && error.name === parserError ? undefined : error;
  if (tlsCode.test(code)) {
    return addressError(exchange, `${what}: no trusted TLS connection (${code})`, cause);
  }
  if (isUnresolved(error)) {
    const message = `${what}: its host has no address (${code})`;
    const becomes = addressError(exchange, message, cause);
    const retryBudget = { fault: `${endpoint} unresolved`, msMax: unresolvedMsMax, becomes };
    return new ApiUnavailableError(message, { cause, retryBudget });
  }
  if (neverLeft(error, code)) {
    return new ApiUnavailableError(`${what}: no connection (${code})`, { cause });
  }
  const why = `no answer (${code})`;
  const isGarbled = garbled.test(code) || (error instanceof Error && error.name === parserError);
  const { isMutating, hasSideEffects: mayHaveSucceeded } = endpointOf(endpoint);
  const fault = { fault: "garbled", message: `${what}: ${why}`, mayHaveSucceeded };
  // A request that sends records is repeated as long as after any other unknown outcome.
  const retryBudget = isGarbled && !isMutating ? boundedRetryBudget(exchange, fault) : undefined;
  return unclear(exchange, why, { cause, retryBudget });
}

/** Codes of an answer that is not HTTP; a parser's error may have no code. */
const garbled = /^(HPE_|UND_ERR_HEADERS_OVERFLOW$|UND_ERR_RES_CONTENT_LENGTH_MISMATCH$)/;
const parserError = "HTTPParserError";

/** The error for an address at which nobody can be reached. */
function addressError(
  { addressField }: Exchange,
  message: string,
  cause: unknown,
): ApiContractError | ConfigError {
  return addressField === undefined
    ? new ApiContractError(message, { cause })
    : new ConfigError(message, { cause, field: addressField, hint: `Check ${addressField}.` });
}

/** The error for an answer that should not have been given. */
export function contractError(
  { addressField }: Exchange,
  message: string,
  facts: { readonly mayHaveSucceeded: boolean; readonly status?: number | undefined },
): ApiContractError {
  const hint = addressField === undefined ? undefined : `Check ${addressField}.`;
  return new ApiContractError(message, { hint, ...facts });
}

/** Tolerates a fault `timesMax` times, then stops; an unknown outcome of the request then stays unknown. */
export function boundedRetryBudget(
  exchange: Exchange,
  fault: {
    readonly fault: string;
    readonly message: string;
    readonly mayHaveSucceeded: boolean;
    /** @default faultTimesMax */
    readonly timesMax?: number;
  },
): RetryBudget {
  const { message, mayHaveSucceeded, timesMax = faultTimesMax } = fault;
  const becomes = contractError(exchange, `${message}, ${timesMax} times`, { mayHaveSucceeded });
  return { fault: `${exchange.endpoint} ${fault.fault}`, timesMax, becomes };
}

function isUnresolved(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && error.syscall === "getaddrinfo";
}

/** Whether the fault occurred before there was a connection, so that nothing can have been applied. */
function neverLeft(error: unknown, code: string): boolean {
  if (error instanceof AggregateError) {
    return error.errors.every((each) => neverLeft(each, codeOf(each)));
  }
  // UND_ERR_ABORTED means that a proxy refuses to open a tunnel; our own aborts carry their own reason.
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "UND_ERR_ABORTED") return true;
  return (
    isUnresolved(error) ||
    (error instanceof Error && "syscall" in error && error.syscall === "connect")
  );
}

/** The error for "no answer that can be read": the outcome of a request with side effects is unknown. */
export function unclear(
  { what, endpoint }: Exchange,
  why: string,
  facts: { readonly cause?: unknown; readonly retryBudget?: RetryBudget | undefined } = {},
): SluiceError {
  const text = `${what}: ${why}`;
  return endpointOf(endpoint).hasSideEffects
    ? new OutcomeUnknownError(text, facts)
    : new ApiUnavailableError(text, facts);
}

/** The short name of a fault: its code, or its class where it has none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
