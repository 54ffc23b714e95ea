import type { Effect } from "../effect.ts";
import { ConfigError } from "../errors.ts";
import {
  cancelGraceMs,
  connectTimeoutMs,
  headersTimeoutMs,
  putDeadlineBaseMs,
  putHeadersTimeoutMs,
  requestDeadlineMs,
} from "../limits.ts";
import type { Secret } from "../security/secret.ts";
import type { AnswerNote } from "./acceptance.ts";
import { checkBaseUrl } from "./address.ts";
import type { ApiContext, Timeouts } from "./context.ts";
import { createHttp } from "./http.ts";
import type { ProxySettings } from "./http.ts";
import { confirmUpload, generateUploadUrl, putFile, uploadJson } from "./ingestion.ts";
import type { ConfirmUploadInput, PutFileInput, UploadJsonInput } from "./ingestion.ts";
import type { Pace } from "./pace.ts";
import { ping } from "./ping.ts";
import { searchPage } from "./search.ts";
import type { SearchPage, SearchPageInput } from "./search.ts";
import type { SignedUrl } from "./signed-url.ts";

/** What a client is made from. */
export type ApiClientSettings = {
  readonly baseUrl: URL;
  readonly legacyBaseUrl: URL;
  readonly apiKey: Secret;
  /** The setting that holds the key, as messages name it. @default "SLUICE_API_KEY" */
  readonly apiKeySource?: string | undefined;
  /** Hosts that may be private and speak plain http, as loopback may. */
  readonly allowInsecureHosts: readonly string[];
  readonly pace: Pace;
  /** Undefined connects directly. */
  readonly proxy?: ProxySettings | undefined;
  /** @default the constants of limits.ts */
  readonly timeouts?: Partial<Timeouts> | undefined;
  /** The clock, in Unix ms, for answers that carry no Date. @default Date.now */
  readonly now?: (() => number) | undefined;
  /** Goes around each request, under the name of its step. @default runs it */
  readonly effect?: Effect | undefined;
};

/**
 * The service as the activities see it: one request a call, no retries. Every fault is the SluiceError that says what
 * happens next; where `mayBeApplied` says so, records may have been taken or a page paid for. An aborted signal rejects with its reason.
 */
export type ApiClient = {
  /** Checks the legacy API and the key. */
  ping(input: { readonly signal: AbortSignal }): Promise<void>;
  /** Sends one part in lightweight mode. */
  uploadJson(
    input: UploadJsonInput,
  ): Promise<{ readonly fileKey: string; readonly note: AnswerNote | undefined }>;
  /** Asks for an address to PUT one file to; it is good for one attempt. */
  generateUploadUrl(input: {
    readonly stream: string;
    readonly signal: AbortSignal;
  }): Promise<{ readonly uploadUrl: SignedUrl; readonly fileKey: string }>;
  /** Sends one staged file. */
  putFile(input: PutFileInput): Promise<void>;
  /** Has the file that was PUT processed. */
  confirmUpload(input: ConfirmUploadInput): Promise<{ readonly note: AnswerNote | undefined }>;
  /** Asks for one page of results, which costs credits, a repeated one too. */
  searchPage(input: SearchPageInput): Promise<SearchPage>;
  /** Waits for the requests under way and closes the connections. */
  close(): Promise<void>;
};

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
    pace,
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
    pace,
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
  return {
    ping: async (input) => await ping(context, input),
    uploadJson: async (input) => await uploadJson(context, input),
    generateUploadUrl: async (input) => await generateUploadUrl(context, input),
    putFile: async (input) => await putFile(context, input),
    confirmUpload: async (input) => await confirmUpload(context, input),
    searchPage: async (input) => await searchPage(context, input),
    close: async () => await http.close(),
  };
}

const timeoutsDefault: Timeouts = {
  connectMs: connectTimeoutMs,
  requestMs: requestDeadlineMs,
  headersMs: headersTimeoutMs,
  putBaseMs: putDeadlineBaseMs,
  putHeadersMs: putHeadersTimeoutMs,
  cancelGraceMs,
};

/** A header cannot carry line breaks, NUL or what lies beyond Latin-1: undici refuses them without naming the setting. */
function checkApiKey(apiKey: Secret): void {
  if (/^[\x20-\x7e\x80-\xff]+$/.test(apiKey.reveal())) return;
  throw new ConfigError("api.api_key is empty or holds a character that no header can carry", {
    field: "api.api_key",
    hint: "Set SLUICE_API_KEY, or the file of api.api_key_file, to the key alone: no line break.",
  });
}
