import {
  ApiContractError,
  ApiUnavailableError,
  ConfigError,
  OutcomeUnknownError,
  SluiceError,
} from "../errors.ts";
import { appliesRecords } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";

/** What a certificate that is not to be trusted, or a server that speaks no TLS, looks like; a cut handshake is a reset. */
const tlsCode =
  /^(CERT_|ERR_TLS_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF|UNABLE_TO_(GET|VERIFY|DECRYPT)|UND_ERR_PRX_TLS|ERR_SSL_(WRONG_VERSION|PACKET_LENGTH|UNSUPPORTED_PROTOCOL|.*HANDSHAKE_FAILURE|.*ALERT_PROTOCOL_VERSION))/;

/** Says what it means that no answer came. A SluiceError thrown on the way, by the file or the lookup, stands. */
export function classifyFailure(exchange: Exchange, error: unknown): SluiceError {
  if (error instanceof SluiceError) return error;
  const { what, addressField } = exchange;
  const code = codeOf(error);
  // A parser's error carries the answer's bytes, which are not ours to keep.
  const cause = error instanceof Error && error.name === "HTTPParserError" ? undefined : error;
  if (tlsCode.test(code)) {
    const message = `${what}: no trusted TLS connection (${code})`;
    return addressField === undefined
      ? new ApiContractError(message, { cause })
      : new ConfigError(message, { cause, field: addressField, hint: `Check ${addressField}.` });
  }
  if (neverLeft(error, code)) {
    return new ApiUnavailableError(`${what}: no connection (${code})`, { cause });
  }
  return unclear(exchange, `no answer (${code})`, cause);
}

/** Whether the fault struck before there was a connection, so that nothing can have been applied. */
function neverLeft(error: unknown, code: string): boolean {
  if (error instanceof AggregateError) {
    return error.errors.every((each) => neverLeft(each, codeOf(each)));
  }
  // undici's name for a proxy that refuses to open a tunnel; our own aborts come with their own reason.
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "UND_ERR_ABORTED") return true;
  return (
    error instanceof Error &&
    "syscall" in error &&
    (error.syscall === "connect" || error.syscall === "getaddrinfo")
  );
}

/** The error for "no answer that can be read": for a request that applies records, nobody knows whether it did. */
export function unclear({ what, step }: Exchange, why: string, cause?: unknown): SluiceError {
  const text = `${what}: ${why}`;
  return appliesRecords(step)
    ? new OutcomeUnknownError(text, { cause })
    : new ApiUnavailableError(text, { cause });
}

/** The short name of a fault: its code, or its class where it has none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
