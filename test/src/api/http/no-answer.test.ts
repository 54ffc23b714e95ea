import { describe, expect, it } from "vitest";

import { endpointNames, type EndpointName } from "../../../../src/api/endpoints.ts";
import type { Exchange } from "../../../../src/api/exchange.ts";
import { classifyFailure } from "../../../../src/api/http/no-answer.ts";
import { ConfigError, StagedFileMissingError } from "../../../../src/errors.ts";
import { everywhere } from "../support.ts";

function exchangeOf(endpoint: EndpointName): Exchange {
  const addressField = endpoint === "putFile" ? undefined : "api.base_url";
  return { endpoint, what: "THE REQUEST", addressField, records: 10 };
}

function fault(code: string, facts: object = {}): Error {
  return Object.assign(new Error("what the system says"), { code, ...facts });
}

const connecting = { syscall: "connect" };
const never = everywhere("Unavailable");
const unknown = everywhere("Unavailable", {
  confirmUpload: "OutcomeUnknown",
  uploadJson: "OutcomeUnknown",
  search: "OutcomeUnknown",
});
const stops = everywhere("ConfigError", { putFile: "ContractBroken" });

const refusedTwice = Object.assign(
  new AggregateError([fault("ECONNREFUSED", connecting), fault("ECONNREFUSED", connecting)]),
  { code: "ECONNREFUSED" },
);
const refusedOnce = Object.assign(
  new AggregateError([fault("ECONNREFUSED", connecting), fault("ECONNRESET", { syscall: "read" })]),
  { code: "ECONNREFUSED" },
);

describe("classifyFailure", () => {
  it.each([
    ["a refused connection", fault("ECONNREFUSED", connecting), never],
    ["every address refused", refusedTwice, never],
    ["an unreachable network", fault("ENETUNREACH", connecting), never],
    ["no such name", fault("ENOTFOUND", { syscall: "getaddrinfo" }), never],
    ["no name server", fault("EAI_AGAIN", { syscall: "getaddrinfo" }), never],
    ["a connect black hole", fault("UND_ERR_CONNECT_TIMEOUT"), never],
    ["a proxy that refuses", fault("UND_ERR_ABORTED"), never],
    ["a reset", fault("ECONNRESET", { syscall: "read" }), unknown],
    ["a reset after one address was refused", refusedOnce, unknown],
    ["a route lost on the way", fault("EHOSTUNREACH", { syscall: "read" }), unknown],
    ["a closed socket", fault("UND_ERR_SOCKET"), unknown],
    ["a broken pipe", fault("EPIPE", { syscall: "write" }), unknown],
    ["no headers in time", fault("UND_ERR_HEADERS_TIMEOUT"), unknown],
    ["the deadline", new DOMException("", "TimeoutError"), unknown],
    ["headers without end", fault("UND_ERR_HEADERS_OVERFLOW"), unknown],
    ["a corrupted TLS record", fault("ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC"), unknown],
    ["anything else", "thrown text", unknown],
    ["a self-signed certificate", fault("DEPTH_ZERO_SELF_SIGNED_CERT"), stops],
    ["an expired certificate", fault("CERT_HAS_EXPIRED"), stops],
    ["an unknown issuer", fault("UNABLE_TO_VERIFY_LEAF_SIGNATURE"), stops],
    ["another host's certificate", fault("ERR_TLS_CERT_ALTNAME_INVALID"), stops],
    ["plain http", fault("ERR_SSL_WRONG_VERSION_NUMBER"), stops],
  ])("judges %s as the table says", (_, error, expected) => {
    const codes = endpointNames.map((name) => [
      name,
      classifyFailure(exchangeOf(name), error).code,
    ]);
    expect(Object.fromEntries(codes)).toEqual(expected);
  });

  it("says which setting a TLS fault speaks of", () => {
    const error = classifyFailure(exchangeOf("ping"), fault("CERT_HAS_EXPIRED"));
    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toMatchObject({ field: "api.base_url", cause: { code: "CERT_HAS_EXPIRED" } });
    expect(error.message).toBe("THE REQUEST: no trusted TLS connection (CERT_HAS_EXPIRED)");
  });

  it("lets an error of our own stand", () => {
    const error = new StagedFileMissingError("gone");
    expect(classifyFailure(exchangeOf("putFile"), error)).toBe(error);
  });

  it.each(["UND_ERR_HEADERS_OVERFLOW", "HPE_INVALID_CONSTANT"])(
    "does not pay for page after page that comes as %s",
    (code) => {
      const judged = (endpoint: EndpointName): unknown =>
        classifyFailure(exchangeOf(endpoint), fault(code));
      const becomes = { code: "ContractBroken", mayHaveSucceeded: true };
      expect(judged("search")).toMatchObject({ retryBudget: { timesMax: 3, becomes } });
      expect(judged("uploadJson")).toMatchObject({ retryBudget: undefined });
    },
  );

  it("does not keep the bytes a parser choked on", () => {
    const error = Object.assign(fault("HPE_INVALID_CONSTANT", { data: "secret" }), {
      name: "HTTPParserError",
    });
    const classified = classifyFailure(exchangeOf("uploadJson"), error);
    expect(classified.cause).toBeUndefined();
    expect(classified.message).toBe("THE REQUEST: no answer (HPE_INVALID_CONSTANT)");
  });
});
