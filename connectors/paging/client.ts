import { isUtf8 } from "node:buffer";

import type { Agent, Dispatcher } from "undici";
import type { z } from "zod";

import { retryAfterMs } from "../../src/api/http/retry-after.ts";
import { ConfigError, RetryLater, SluiceError, SourceAuthError } from "../../src/errors.ts";
import { timerMsMax } from "../../src/limits.ts";
import { parseJsonExactly } from "../../src/mapping/json-row.ts";
import { version } from "../../src/version.ts";
import { wrong, type FaultFields } from "./faults.ts";
import { pageAnswerBytesMax, requestMsDefault } from "./limits.ts";

/** How requests to an API are made. */
export type ClientOptions = {
  /** Sent with each request. A login goes here; it must not be in the URL's query. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** How long one request may take in all. @default 30 s */
  readonly timeoutMs?: number | undefined;
  readonly fields?: FaultFields | undefined;
};

/** An answer with status 200. */
export type PageAnswer = {
  readonly text: string;
  /** By lower-case name; a header that came twice is a list. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /**
   * The body, parsed by the schema. A number with more digits than JavaScript's carry is an object whose text has them
   * all; a member that occurs twice is replaced by an object that no mapping takes.
   * @throws {ConfigError} it is not UTF-8, not JSON, or not of this form.
   */
  json<Schema extends z.ZodType>(schema: Schema): z.output<Schema>;
};

/**
 * Sends a GET request to an API. Errors name the address without its query, and hold nothing of the answer.
 * @throws {RetryLater} 429 or 5xx, with the wait that the answer asks for; no answer in time, a dead connection, an
 * answer above 32 MiB. @throws {SourceAuthError} 401 or 403, or a header that cannot be sent. @throws {ConfigError} any
 * other status but 200: redirects are not followed; with headers, a server other than that of the first request.
 */
export type Get = (url: string | URL) => Promise<PageAnswer>;

/** A client that holds its connections until it is disposed of; `signal` ends a request that waits. */
export class HttpClient implements AsyncDisposable {
  #agent: Agent | undefined;
  /** The server of the first request, for which the headers are. */
  #origin: string | undefined;
  readonly #signal: AbortSignal;
  readonly #options: ClientOptions;

  constructor(signal: AbortSignal, options: ClientOptions) {
    this.#signal = signal;
    this.#options = options;
  }

  readonly get: Get = async (address) => {
    const { headers, timeoutMs = requestMsDefault, fields = {} } = this.#options;
    const url = new URL(address);
    const what = `GET ${url.origin}${url.pathname}`;
    assertCarried(headers, what, fields);
    this.#assertOwn(url.origin, what);
    try {
      // Loaded where a request is made: every command has the connectors, and hardly any makes a request.
      const { Agent: Pool, request } = await import("undici");
      // Its own limits of five minutes would end requests that may take longer.
      const limits = { headersTimeout: 0, bodyTimeout: 0, maxResponseSize: pageAnswerBytesMax };
      this.#agent ??= new Pool(limits);
      // The time of loading does not count against the API. A longer timer would go off at once.
      const timeout = AbortSignal.timeout(Math.min(timeoutMs, timerMsMax));
      const signal = AbortSignal.any([this.#signal, timeout]);
      const answer = await request(url, {
        dispatcher: this.#agent,
        signal,
        headers: { ...ownHeaders(headers), ...headers },
      });
      const bytes = await answer.body.bytes();
      if (answer.statusCode !== 200) throw refusalOf(answer, what, fields);
      const text = new TextDecoder().decode(bytes);
      const isWhole = isUtf8(bytes);
      const json: PageAnswer["json"] = (schema) => {
        // Invalid bytes would be replaced by other characters in the row, and nobody would notice.
        if (!isWhole) throw notUtf8(answer, what, fields);
        return parsed(text, schema, { what, fields });
      };
      return { text, headers: answer.headers, json };
    } catch (error) {
      this.#signal.throwIfAborted();
      if (error instanceof SluiceError) throw error;
      throw new RetryLater(`${what}: ${String(error)}`, { hint: adviceFor(error) });
    }
  };

  /** An API may name any address as its next page: its login is for no other server. */
  #assertOwn(origin: string, what: string): void {
    const { headers = {}, fields } = this.#options;
    this.#origin ??= origin;
    if (origin === this.#origin || Object.values(headers).every((value) => value === undefined)) {
      return;
    }
    throw new ConfigError(`${what}: the login is for ${this.#origin} alone`, {
      field: fields?.address,
      hint: `The API names a page elsewhere, and nothing was sent there: check whether ${this.#origin} is its address.`,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent?.destroy();
  }
}

/** Headers that a connector does not set itself, in whatever case. */
function ownHeaders(given: ClientOptions["headers"] = {}): Readonly<Record<string, string>> {
  const names = new Set(Object.keys(given).map((name) => name.toLowerCase()));
  // Without the first, a server may compress as it likes (RFC 9110, 12.5.3); some APIs refuse who has no name.
  const own = { "accept-encoding": "identity", "user-agent": `sluice/${version}` };
  return Object.fromEntries(Object.entries(own).filter(([name]) => !names.has(name)));
}

/** A header that cannot be sent would count as a request without an answer, and be tried again. */
function assertCarried(
  headers: ClientOptions["headers"] = {},
  what: string,
  { login, logins = login }: FaultFields,
): void {
  const values = Object.values(headers);
  if (values.every((value = "") => /^[\t\x20-\x7e\x80-\xff]*$/.test(value))) return;
  throw new SourceAuthError(`${what}: a header holds a character that no header can carry`, {
    field: login,
    hint: `Check ${logins ?? "what the connection logs in with"}: the value alone, no line break.`,
  });
}

const reach = "Check the address, and whether it can be reached from here.";

/** Advice for a person on a request without a whole answer. */
function adviceFor(error: unknown): string {
  if (!(error instanceof Error)) return reach;
  if ("code" in error && error.code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") {
    return `Ask for fewer rows a page: an answer may have ${pageAnswerBytesMax / 1024 ** 2} MiB.`;
  }
  return error.name === "TimeoutError"
    ? "Ask for fewer rows a page, or allow a request more time."
    : reach;
}

/** Statuses below 500 that say nothing about the request: too slow, too early, too many. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

function refusalOf(
  { statusCode: status, headers }: Dispatcher.ResponseData,
  what: string,
  { login, logins = login, address }: FaultFields,
): Error {
  const message = `${what}: ${status}`;
  if (status === 401 || status === 403) {
    const hint = `Check ${logins ?? "what the connection logs in with"}.`;
    return new SourceAuthError(message, { field: login, hint });
  }
  if (!passing.has(status) && status < 500) return wrong(message, address);
  return new RetryLater(message, { hint: "Wait.", afterMs: retryAfterMs(headers, Date.now()) });
}

function notUtf8(
  { headers }: Dispatcher.ResponseData,
  what: string,
  { address }: FaultFields,
): ConfigError {
  const [is, hint] =
    headers["content-encoding"] === undefined
      ? ["not UTF-8", "JSON is UTF-8: ask the API for it, as its documentation says."]
      : [
          "compressed",
          "Have the API, or the proxy before it, send it as it is, as it is asked to.",
        ];
  return new ConfigError(`${what}: the answer is ${is}`, { field: address, hint });
}

function parsed<Schema extends z.ZodType>(
  text: string,
  schema: Schema,
  { what, fields }: { readonly what: string; readonly fields: FaultFields },
): z.output<Schema> {
  let json: unknown;
  try {
    json = parseJsonExactly(text);
  } catch {
    throw wrong(`${what}: the answer is not JSON`, fields.address);
  }
  const { data, error } = schema.safeParse(json);
  if (error === undefined) return data;
  const [issue] = error.issues;
  const place = issue?.path.map(String).join(".") || "the answer";
  throw wrong(`${what}: ${place} is not as expected: ${issue?.message}`, fields.address);
}
