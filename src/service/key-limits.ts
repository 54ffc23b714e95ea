import { createHash } from "node:crypto";

import type { Scope } from "../api/rate-limiter.ts";
import type { Moment } from "../clock.ts";
import { ApiAuthError, CreditsExhaustedError, RateLimitedError } from "../errors.ts";
import type { Secret } from "../security/secret.ts";
import type { RateLimit } from "../state/contract/rate-limit.ts";
import type { StateClient } from "../state/state-store.ts";

/** A name for an API key in limits and logs: the first 8 hex characters of its sha256. */
export function keyName(apiKey: Secret): string {
  return createHash("sha256").update(apiKey.reveal()).digest("hex").slice(0, 8);
}

/** The limits of a scope, named with the key; the first has the rate. */
export function limitsOf(scope: Scope, key: string): readonly [string, ...string[]] {
  if (scope.kind === "storage") return [`put:${scope.host}`];
  return [`api:${key}`, refusedLimit(key), creditsLimit(scope, key)];
}

/** The limit for the credits of the scope's family; the storage has none of its own. */
export function creditsLimit(scope: Scope, key: string): string {
  return `api:${key}:${scope.kind === "api" ? scope.family : "ingestion"}`;
}

/** The limit that blocks a refused key. */
export function refusedLimit(key: string): string {
  return `api:${key}:refused`;
}

/** Whether a limit blocks until its key changes; then the time in it means nothing. */
export function isRefusedKey(limit: string): boolean {
  return limit.endsWith(":refused");
}

/** Until when a limit blocks, in words. */
export function untilText({ limit, blockedUntil }: RateLimit): string {
  return isRefusedKey(limit) ? "the key changes" : new Date(blockedUntil ?? 0).toISOString();
}

/** The error of a request that must not leave with this key. */
export function blockedError(blocked: RateLimit, key: string, nowMs: number): Error {
  const { limit, blockedUntil, why } = blocked;
  if (limit === refusedLimit(key)) {
    return new ApiAuthError(`the API key ${key}… was refused before: ${why}`, {
      hint: "set another key, or `sluice rate-limit reset` when this one is good again",
    });
  }
  const until = untilText(blocked);
  if (limit.startsWith(`api:${key}:`)) {
    return new CreditsExhaustedError(`no credits until ${until}: ${why}`);
  }
  const retryAfterMs = (blockedUntil ?? nowMs) - nowMs;
  return new RateLimitedError(`rate limited until ${until}: ${why}`, { retryAfterMs });
}

/**
 * Checks before a run reads anything whether its requests, of the family `ingestion` by default, may leave at all;
 * a rate limit is not a reason to wait yet.
 * @throws {ApiAuthError} the key was refused. @throws {CreditsExhaustedError} there are no credits.
 */
export async function assertMaySend(
  state: Pick<StateClient, "rateLimits">,
  apiKey: Secret,
  { family = "ingestion", ...now }: Moment & { readonly family?: "ingestion" | "search" },
): Promise<void> {
  const key = keyName(apiKey);
  const [, ...stops] = limitsOf({ kind: "api", family }, key);
  for (const each of await state.rateLimits(now)) {
    if (each.blockedUntil !== null && stops.includes(each.limit))
      throw blockedError(each, key, now.nowMs);
  }
}

/** Whether requests are held back. */
export function isBlocking({ blockedUntil, breaker }: RateLimit): boolean {
  return blockedUntil !== null || breaker !== "closed";
}

/** Lets requests pass again under all limits that begin with `prefix`; returns how many were blocked. */
export async function resetLimits(
  state: Pick<StateClient, "noteLimit" | "rateLimits">,
  prefix: string,
  now: Moment,
): Promise<number> {
  const limits = (await state.rateLimits(now)).filter(({ limit }) => limit.startsWith(prefix));
  const blocking = limits.filter(isBlocking);
  for (const { limit } of blocking)
    await state.noteLimit({ limit, event: { kind: "reset" }, ...now });
  return blocking.length;
}
