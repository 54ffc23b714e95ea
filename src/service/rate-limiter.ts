import { setTimeout } from "node:timers/promises";

import type { RequestOutcome, Permit, RateLimiter, Scope } from "../api/rate-limiter.ts";
import { systemClock, type Clock } from "../clock.ts";
import { CreditsExhaustedError, RateLimitedError } from "../errors.ts";
import type { Secret } from "../security/secret.ts";
import type {
  LimitEvent,
  LimitRow,
  PermitAnswer,
  PermitRequest,
} from "../state/contract/rate-limit.ts";
import type { StateClient } from "../state/state-store.ts";
import { blockedError, creditsLimit, keyName, limitsOf, refusedLimit } from "./key-limits.ts";
import {
  backoffBaseMs,
  backoffMaxMs,
  creditsSuspectedMs,
  probeSpreadMs,
  sleepInActivityMsMax,
} from "./limits.ts";
import { currentRequester } from "./requester.ts";

/** The settings of a rate limiter. */
export type RateLimiterSettings = {
  readonly state: Pick<StateClient, "acquirePermit" | "noteLimit">;
  readonly apiKey: Secret;
  readonly requestsPerSecond: number;
  readonly creditsRetryAfterMs: number;
  /** @default the system's clocks */
  readonly clock?: Clock;
  /** From 0 to 1. @default Math.random */
  readonly random?: () => number;
  /** Waits for this many ms, or rejects when the signal aborts. @default a timer */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** In ms, far beyond any clock: a refused key stays refused. */
const neverMs = Number.MAX_SAFE_INTEGER / 2;

async function sleepOnTimer(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal });
}

type Granted = Extract<PermitAnswer, { granted: true }>;

/** The rate limiter of one key. Its limits are in the state store, so that every worker keeps them. */
export class StoreRateLimiter implements RateLimiter {
  readonly #settings: Required<RateLimiterSettings>;
  readonly #key: string;
  /** Limits whose next success must be recorded: nearly all successes need no write. */
  readonly #troubled = new Set<string>();

  constructor(settings: RateLimiterSettings) {
    this.#settings = {
      clock: systemClock(),
      random: Math.random,
      sleep: sleepOnTimer,
      ...settings,
    };
    this.#key = keyName(settings.apiKey);
  }

  /** See `RateLimiter`; throws for a wait above `sleepInActivityMsMax`, so that the wait takes no worker slot. */
  async acquire(scope: Scope, signal: AbortSignal): Promise<Permit> {
    const { waitMs, isProbe } = await this.#ask(scope);
    const permit = { scope, isProbe };
    if (waitMs > 0) {
      try {
        await this.#settings.sleep(waitMs, signal);
        await this.#ask(scope, { isProbe });
      } catch (error) {
        await this.ended(permit, "undecided");
        throw error;
      }
    }
    currentRequester().tally.requests += 1;
    return permit;
  }

  async #ask(scope: Scope, held?: PermitRequest["held"]): Promise<Granted> {
    const { state, clock, requestsPerSecond } = this.#settings;
    const { tally, ...asking } = currentRequester();
    const limits = limitsOf(scope, this.#key);
    // The storage has no rate of its own: an upload address took its permit when it was requested.
    const perSecond = scope.kind === "storage" ? Infinity : requestsPerSecond;
    const request = {
      ...asking,
      limits,
      perSecond,
      waitMaxMs: sleepInActivityMsMax,
      held,
      ...clock(),
    };
    const answer = await state.acquirePermit(request);
    if ("granted" in answer && answer.granted) {
      tally.waitedMs += answer.waitMs;
      if (answer.isTroubled) this.#troubled.add(limits[0]);
      return answer;
    }
    const error = this.#refusal(answer);
    if (error instanceof RateLimitedError) tally.waitedMs += error.retryAfterMs;
    throw error;
  }

  #refusal(answer: Exclude<PermitAnswer, Granted>): Error {
    const { clock, random, requestsPerSecond } = this.#settings;
    const { nowMs } = clock();
    if ("blocked" in answer) return blockedError(answer.blocked, this.#key, nowMs);
    if ("failing" in answer) {
      const { failing, waitMs, stepMs } = answer;
      const until = new Date(nowMs + waitMs).toISOString();
      const message = `the service is failing, next probe at ${until}: ${failing.why}`;
      // Waiters come back over a while, not all at the moment of the next probe.
      const retryAfterMs = waitMs + random() * Math.min(stepMs, probeSpreadMs);
      return new RateLimitedError(message, { retryAfterMs, isOutage: true });
    }
    const message = `the limit of ${requestsPerSecond} requests a second is used up`;
    return new RateLimitedError(message, { retryAfterMs: answer.waitMs });
  }

  async ended({ scope, isProbe }: Permit, outcome: RequestOutcome, why = ""): Promise<void> {
    const [limit] = limitsOf(scope, this.#key);
    const isNews =
      isProbe || outcome === "failed" || (outcome === "succeeded" && this.#troubled.has(limit));
    if (!isNews) return;
    if (outcome === "succeeded") this.#troubled.delete(limit);
    else if (outcome === "failed") this.#troubled.add(limit);
    // If the store misses this, it learns it from the next request, and a probe counts as lost.
    await this.#note(limit, { kind: outcome, isProbe, why }).catch(() => undefined);
  }

  async throttled(scope: Scope, hintMs: number | undefined, why: string): Promise<number> {
    const [limit] = limitsOf(scope, this.#key);
    const forMs = Math.max(1_000, hintMs ?? (await this.#backoffMs(scope, why)));
    await this.#note(limit, { kind: "blocked", forMs, why });
    currentRequester().tally.waitedMs += forMs;
    return forMs;
  }

  async creditsExhausted(scope: Scope, message: string): Promise<void> {
    const forMs = this.#settings.creditsRetryAfterMs;
    await this.#note(creditsLimit(scope, this.#key), { kind: "blocked", forMs, why: message });
  }

  async keyRefused(message: string): Promise<void> {
    await this.#note(refusedLimit(this.#key), { kind: "blocked", forMs: neverMs, why: message });
  }

  /** A random wait, so that workers that are refused together do not come back together. */
  async #backoffMs(scope: Scope, why: string): Promise<number> {
    const { random } = this.#settings;
    const [limit] = limitsOf(scope, this.#key);
    this.#troubled.add(limit);
    const { throttled, throttledSince, throttledAt } = await this.#note(limit, {
      kind: "throttled",
    });
    if (scope.kind === "api" && throttledAt - throttledSince >= creditsSuspectedMs) {
      const message = `${why}, and so for an hour without one success: probably no credits`;
      await this.creditsExhausted(scope, message);
      throw new CreditsExhaustedError(message);
    }
    return random() * Math.min(backoffMaxMs, backoffBaseMs * 2 ** (throttled - 1));
  }

  async #note(limit: string, event: LimitEvent): Promise<LimitRow> {
    const { state, clock } = this.#settings;
    return await state.noteLimit({ limit, event, ...clock() });
  }
}
