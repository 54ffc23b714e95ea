import type { Effect } from "../effect.ts";
import { ConfigError } from "../errors.ts";
import { connectTimeoutMs, requestDeadlineMs } from "../limits.ts";
import type { Secret } from "../security/secret.ts";
import type { ApiContext, Timeouts } from "./context.ts";
import { endpointNames } from "./endpoints.ts";
import type { EndpointName } from "./endpoints.ts";
import { checkBaseUrl } from "./http/address.ts";
import { createHttp } from "./http/http.ts";
import type { ProxySettings } from "./http/http.ts";
import * as ingestion from "./ingestion.ts";
import {
  cancelGraceMs,
  headersTimeoutMs,
  putDeadlineBaseMs,
  putHeadersTimeoutMs,
} from "./limits.ts";
import { ping } from "./ping.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import { search } from "./search.ts";

/** The settings of a client. */
export type ApiClientSettings = {
  readonly baseUrl: URL;
  readonly legacyBaseUrl: URL;
  readonly apiKey: Secret;
  /** The setting that holds the key, as messages name it. @default "SLUICE_API_KEY" */
  readonly apiKeySource?: string | undefined;
  /** Hosts that may be private and speak plain http, as loopback may. */
  readonly allowInsecureHosts: readonly string[];
  readonly rateLimiter: RateLimiter;
  /** Undefined connects directly. */
  readonly proxy?: ProxySettings | undefined;
  /** @default the constants of limits.ts */
  readonly timeouts?: Partial<Timeouts> | undefined;
  /** The clock, in Unix ms, for answers that carry no Date. @default Date.now */
  readonly now?: (() => number) | undefined;
  /** Wraps each request, under the name of its endpoint. @default runs it */
  readonly effect?: Effect | undefined;
};

const functions = { ping, ...ingestion, search };

type Inputs = { [Name in EndpointName]: Parameters<(typeof functions)[Name]>[1] };
type Answers = { [Name in EndpointName]: Awaited<ReturnType<(typeof functions)[Name]>> };

/** The function that makes the request of each endpoint. */
const requests: {
  readonly [Name in EndpointName]: (
    context: ApiContext,
    input: Inputs[Name],
  ) => Promise<Answers[Name]>;
} = functions;

/** A method for each endpoint. */
export type Requests = {
  readonly [Name in EndpointName]: (input: Inputs[Name]) => Promise<Answers[Name]>;
};

/**
 * The service as the activities see it: one request per call, no retries. Every fault is a SluiceError whose class says
 * what happens next; its `mayHaveSucceeded` says whether records may have been taken or a page paid for. An aborted
 * signal rejects with its reason.
 */
export type ApiClient = Requests & {
  /** Waits for the requests under way and closes the connections. */
  close(): Promise<void>;
};

/** Makes one request of the endpoint `name`. */
export type MakeRequest = <Name extends EndpointName>(
  name: Name,
  input: Inputs[Name],
) => Promise<Answers[Name]>;

/** A client that makes every request through `request`. */
export function clientThrough(request: MakeRequest, close: () => Promise<void>): ApiClient;
export function clientThrough(request: MakeRequest, close: () => Promise<void>): object {
  // An overload: a loop cannot show the compiler that each name has its own input and answer.
  const methods = endpointNames.map(
    (name) => [name, async (input: never) => await request(name, input)] as const,
  );
  return { ...Object.fromEntries(methods), close };
}

/**
 * Makes a client for one pair of base addresses and one key.
 * @throws ConfigError when an address or the key must not be used; names the setting, never the value.
 */
export function createApiClient(settings: ApiClientSettings): ApiClient {
  const {
    baseUrl,
    legacyBaseUrl,
    apiKey,
    allowInsecureHosts,
    apiKeySource = "SLUICE_API_KEY",
    rateLimiter,
    proxy,
    now = Date.now,
    effect,
  } = settings;
  checkBaseUrl(baseUrl, "api.base_url", allowInsecureHosts);
  checkBaseUrl(legacyBaseUrl, "api.legacy_base_url", allowInsecureHosts);
  checkApiKey(apiKey);
  const timeouts = { ...timeoutsDefault, ...settings.timeouts };
  const { connectMs } = timeouts;
  const http = createHttp({
    apiKey,
    apiKeySource,
    allowInsecureHosts,
    rateLimiter,
    now,
    connectMs,
    proxy,
    effect,
  });
  const context: ApiContext = {
    http,
    baseUrl,
    legacyBaseUrl,
    apiKey,
    allowInsecureHosts,
    now,
    timeouts,
  };
  return clientThrough(
    async (name, input) => await requests[name](context, input),
    async () => await http.close(),
  );
}

const timeoutsDefault: Timeouts = {
  connectMs: connectTimeoutMs,
  requestMs: requestDeadlineMs,
  headersMs: headersTimeoutMs,
  putBaseMs: putDeadlineBaseMs,
  putHeadersMs: putHeadersTimeoutMs,
  cancelGraceMs,
};

/**
 * A header cannot carry line breaks, NUL or characters beyond Latin-1, and undici refuses them without naming the
 * setting.
 */
function checkApiKey(apiKey: Secret): void {
  if (/^[\x20-\x7e\x80-\xff]+$/.test(apiKey.reveal())) return;
  throw new ConfigError("api.api_key is empty or holds a character that no header can carry", {
    field: "api.api_key",
    hint: "Set SLUICE_API_KEY, or the file of api.api_key_file, to the key alone: no line break.",
  });
}
