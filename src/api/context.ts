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
  /** For a PUT, in addition to the time allowed for its bytes. */
  readonly putBaseMs: number;
  /** As `headersMs`, for a PUT. */
  readonly putHeadersMs: number;
  /** For a request with side effects that is on the wire when its signal aborts. */
  readonly cancelGraceMs: number;
};

/** The parts and settings that all endpoints share. */
export type ApiContext = {
  readonly http: Http;
  readonly baseUrl: URL;
  readonly legacyBaseUrl: URL;
  readonly apiKey: Secret;
  readonly allowInsecureHosts: readonly string[];
  readonly now: () => number;
  readonly timeouts: Timeouts;
};
