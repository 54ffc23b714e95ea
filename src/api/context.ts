import type { Secret } from "../security/secret.ts";
import type { Http } from "./http/http.ts";

/** How long requests may take, in ms. */
export type Timeouts = {
  /** To a connection, TLS included. */
  readonly connectMs: number;
  /** From connect to the last byte of a JSON answer. */
  readonly requestMs: number;
  /** To the headers of a JSON answer, and between two pieces of it. */
  readonly headersMs: number;
  /** Of a PUT, before the time its bytes are given. */
  readonly putBaseMs: number;
  /** As `headersMs`, of a PUT. */
  readonly putHeadersMs: number;
  /** For a request that leaves traces and is on the wire when its signal aborts. */
  readonly cancelGraceMs: number;
};

/** What the endpoints share. */
export type ApiContext = {
  readonly http: Http;
  readonly baseUrl: URL;
  readonly legacyBaseUrl: URL;
  readonly apiKey: Secret;
  readonly allowInsecureHosts: readonly string[];
  readonly now: () => number;
  readonly timeouts: Timeouts;
};
