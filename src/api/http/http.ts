import { Agent, EnvHttpProxyAgent, request } from "undici";
import type { Dispatcher } from "undici";

import { runEffect, type Effect } from "../../effect.ts";
import {
  ApiAuthError,
  ApiContractError,
  ConfigError,
  CreditsExhaustedError,
  OutcomeUnknownError,
  RateLimitedError,
} from "../../errors.ts";
import { timerMsMax, retryAfterMsMax } from "../../limits.ts";
import type { Secret } from "../../security/secret.ts";
import { classifyAnswer } from "../classify.ts";
import { endpointOf } from "../endpoints.ts";
import type { Answer, AnswerOutcome, Exchange } from "../exchange.ts";
import { answerBytesMax, pageBytesMax } from "../limits.ts";
import type { RateLimiter, Scope } from "../rate-limiter.ts";
import type { StagedFile } from "../staged-file.ts";
import { withoutKey } from "../without-key.ts";
import { guardedLookup } from "./address.ts";
import { healthOf, saysUnwell } from "./health.ts";
import { classifyFailure, codeOf } from "./no-answer.ts";
import { retryAfterMsMin } from "./retry-after.ts";

/** The proxies of the environment; an absent one is not used. */
export type ProxySettings = {
  readonly httpProxy?: string | undefined;
  readonly httpsProxy?: string | undefined;
  /** Hosts reached directly, as in NO_PROXY; loopback always is. */
  readonly noProxy?: string | undefined;
};

/** The settings that all requests share. */
export type HttpSettings = {
  readonly apiKey: Secret;
  /** The setting that holds the key, named to the person who has to change it. */
  readonly apiKeySource: string;
  readonly allowInsecureHosts: readonly string[];
  readonly rateLimiter: RateLimiter;
  readonly now: () => number;
  /** Time to a connection, TLS included. */
  readonly connectMs: number;
  readonly proxy?: ProxySettings | undefined;
  /** Wraps each request, under the name of its endpoint. @default runs it */
  readonly effect?: Effect | undefined;
};

/** One request. */
export type Call = Exchange & {
  readonly scope: Scope;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | StagedFile | undefined;
  readonly signal: AbortSignal;
  /** Time from connect to the last byte of the answer. */
  readonly deadlineMs: number;
  /** Time to the answer's headers, and between two pieces of it. */
  readonly silenceMs: number;
  /** How long a request on the wire may continue after `signal` aborted. */
  readonly graceMs: number;
  /** Called when there is nothing left to wait for; if it throws, the request does not leave. */
  readonly beforeSend?: (() => void) | undefined;
};

/** The only way in which a request leaves. */
export type Http = {
  /**
   * Makes one request, without redirects or retries, and returns the answer that accepted it. Every other answer and
   * every fault is thrown as an error whose class says what happens next; the request may have been applied only if
   * `mayHaveSucceeded` says so.
   * @throws the signal's reason when it aborted before there was an answer.
   */
  send(call: Call): Promise<Answer>;
  /** Waits for the requests under way and closes the connections; may be called again. */
  close(): Promise<void>;
};

/** Makes the HTTP side of the client: one pool of connections per origin. */
export function createHttp(settings: HttpSettings): Http {
  const dispatcher = createDispatcher(settings, answerBytesMax);
  // A separate pool, because the limit of an answer is set on the pool.
  const pageDispatcher = createDispatcher(settings, pageBytesMax);
  const { rateLimiter, now, effect = runEffect } = settings;
  let closing: Promise<unknown> | undefined;
  return {
    async send(call) {
      const via = endpointOf(call.endpoint).isPaged ? pageDispatcher : dispatcher;
      const permit = await rateLimiter.acquire(call.scope, call.signal);
      let answer: Answer;
      try {
        call.signal.throwIfAborted();
        call.beforeSend?.();
      } catch (error) {
        await rateLimiter.ended(permit, "undecided");
        throw error;
      }
      try {
        answer = await effect(call.endpoint, async () => await exchange(call, via));
      } catch (error) {
        if (saysUnwell(error)) await rateLimiter.ended(permit, "failed", error.message);
        else await rateLimiter.ended(permit, "undecided");
        throw error;
      }
      const seen = answer.status === 200 ? answer : withoutKey(answer, settings.apiKey);
      const outcome = classifyAnswer(call, seen, now());
      try {
        if (outcome.kind !== "accepted") return await refuse(outcome, call.scope, settings);
        return answer;
      } finally {
        // Only after the scope is blocked, so that no probe slips out between the two.
        const why = `${call.what}: ${answer.status}`;
        await rateLimiter.ended(permit, healthOf(call, answer, outcome), why);
      }
    },
    async close() {
      closing ??= Promise.all([dispatcher.close(), pageDispatcher.close()]);
      await closing;
    },
  };
}

/**
 * Makes the dispatcher of requests: guarded against private addresses, through the proxies of the environment.
 * `maxResponseSize` is in bytes.
 * @throws {ConfigError} a proxy's address is not an http or https URL.
 */
export function createDispatcher(
  {
    allowInsecureHosts,
    connectMs,
    proxy,
  }: Pick<HttpSettings, "allowInsecureHosts" | "connectMs" | "proxy">,
  maxResponseSize: number,
): Dispatcher {
  const options: Agent.Options = {
    // On the pool, because it is ignored as an option of one request.
    maxResponseSize,
    connect: {
      timeout: connectMs,
      lookup: guardedLookup({ hosts: allowInsecureHosts, loopback: true }),
    },
  };
  if (proxy === undefined || proxy.noProxy === "*") return new Agent(options);
  const { httpProxy = "", httpsProxy = "", noProxy = "" } = proxy;
  for (const [field, value] of Object.entries({ HTTP_PROXY: httpProxy, HTTPS_PROXY: httpsProxy })) {
    // undici's own error would quote the address with its password.
    if (value !== "" && !/^https?:$/.test(URL.parse(value)?.protocol ?? "")) {
      throw new ConfigError(`${field} is not an http or https URL`, { field });
    }
  }
  return new EnvHttpProxyAgent({
    ...options,
    httpProxy,
    httpsProxy,
    noProxy: [noProxy, "localhost", "127.0.0.1", "[::1]"].join(","),
  });
}

async function exchange(call: Call, dispatcher: Dispatcher): Promise<Answer> {
  try {
    const answer = await withinDeadline(
      call,
      async (signal) => await transmit(call, dispatcher, signal),
    );
    if (answer.cutShort !== undefined) call.signal.throwIfAborted();
    return answer;
  } catch (error) {
    call.signal.throwIfAborted();
    throw classifyFailure(call, error);
  }
}

/** undici has no deadline for a whole request: an answer that drips outlives its timeouts. */
async function withinDeadline<T>(
  { signal, deadlineMs, graceMs }: Call,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const abortAfter = (ms: number, reason: () => unknown): NodeJS.Timeout =>
    setTimeout(() => limit.abort(reason()), Math.min(ms, timerMsMax));
  const timers = [
    abortAfter(deadlineMs, () => new DOMException("the deadline passed", "TimeoutError")),
  ];
  const onAbort = (): void => {
    timers.push(abortAfter(graceMs, () => signal.reason));
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await work(limit.signal);
  } finally {
    signal.removeEventListener("abort", onAbort);
    timers.forEach(clearTimeout);
  }
}

async function transmit(call: Call, dispatcher: Dispatcher, signal: AbortSignal): Promise<Answer> {
  const { body, silenceMs } = call;
  const file = body === undefined || body instanceof Uint8Array ? undefined : body;
  const response = await request(call.url, {
    dispatcher,
    method: endpointOf(call.endpoint).method,
    headers: call.headers,
    body: body instanceof Uint8Array ? body : (file?.stream() ?? null),
    signal,
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
  });
  const head = {
    status: response.statusCode,
    headers: response.headers,
    sentWhole: file?.isSent() ?? true,
  };
  try {
    return { ...head, text: await response.body.text() };
  } catch (error) {
    // Then only the status decides, and whether the body was needed.
    return { ...head, text: "", cutShort: codeOf(error) };
  }
}

/** Reports what concerns other requests to the rate limiter, then throws. */
async function refuse(
  outcome: Exclude<AnswerOutcome, { kind: "accepted" }>,
  scope: Scope,
  { rateLimiter, apiKeySource }: HttpSettings,
): Promise<never> {
  if (outcome.kind === "slowDown") return await slowDown(outcome, scope, rateLimiter);
  if (outcome.kind === "failed") throw outcome.error;
  if (outcome.kind === "keyRefused") {
    await rateLimiter.keyRefused(outcome.message);
    const field = "api.api_key";
    const setting = apiKeySource === field ? field : `${apiKeySource} (${field})`;
    throw new ApiAuthError(`${outcome.message}, check ${setting}`, { field });
  }
  await rateLimiter.creditsExhausted(scope, outcome.message);
  throw new CreditsExhaustedError(outcome.message);
}

async function slowDown(
  { message, hintMs, mayHaveSucceeded }: Extract<AnswerOutcome, { kind: "slowDown" }>,
  scope: Scope,
  rateLimiter: RateLimiter,
): Promise<never> {
  const isTooLong = hintMs !== undefined && hintMs > retryAfterMsMax;
  const blocking = rateLimiter.throttled(scope, isTooLong ? retryAfterMsMax : hintMs, message);
  const asksTooLong = (cause?: unknown): ApiContractError => {
    const hours = retryAfterMsMax / 3_600_000;
    const hint =
      "ask the service's operator; `sluice rate-limit reset` when it takes requests again";
    const facts = { cause, mayHaveSucceeded, hint };
    return new ApiContractError(`${message}: asks to wait longer than ${hours} h`, facts);
  };
  if (mayHaveSucceeded) {
    // A store that cannot block the scope must not hide that the records may have been taken.
    const cause = await blocking.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (isTooLong) throw asksTooLong(cause);
    // The next attempt comes soon, meets the block and says until when it waits: the part is not at fault.
    const retryAfterMs = cause === undefined ? retryAfterMsMin : undefined;
    throw new OutcomeUnknownError(message, { cause, retryAfterMs });
  }
  const retryAfterMs = await blocking;
  throw isTooLong ? asksTooLong() : new RateLimitedError(message, { retryAfterMs });
}
