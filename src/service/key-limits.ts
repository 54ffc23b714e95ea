import { createHash } from "node:crypto";

import type { Gate } from "../api/rate-limiter.ts";
import type { Moment } from "../clock.ts";
import { ApiAuthError, CreditsExhaustedError, RateLimitedError } from "../errors.ts";
import type { Secret } from "../security/secret.ts";
import type { GateState } from "../state/sqlite/rate-limit.ts";
import type { StateClient } from "../state/state-store.ts";

/** Names an API key in gates and logs: the first 8 hex characters of its sha256. */
export function keyName(apiKey: Secret): string {
  return createHash("sha256").update(apiKey.reveal()).digest("hex").slice(0, 8);
}

/** Whether a gate is closed until its key changes: the time it carries then means nothing. */
export function isRefusedKeyGate(gate: string): boolean {
  return gate.endsWith(":refused");
}

/** In ms, far beyond any clock: a refused key's gate has no end of its own. */
export const neverMs = Number.MAX_SAFE_INTEGER / 2;

/** The gates of a key, or of one storage host; all that begin with `api:` and the key's name belong to the key. */
export function gatesOf(
  gate: Gate,
  key: string,
): { readonly rate: string; readonly all: string[] } {
  if (gate.kind === "storage") return { rate: `put:${gate.host}`, all: [`put:${gate.host}`] };
  const rate = `api:${key}`;
  return { rate, all: [rate, `${rate}:refused`, `${rate}:${gate.family}`] };
}

/** The gate of the family whose credits are used up; the storage has none. */
export function creditsGate(gate: Gate, key: string): string {
  return `api:${key}:${gate.kind === "api" ? gate.family : "ingestion"}`;
}

/** The error of a request that must not leave, as the gate that holds it says. */
export function closedError(closed: GateState, key: string, nowMs: number): Error {
  const until = closed.closedUntil ?? nowMs;
  const why = closed.why ?? "closed";
  if (isRefusedKeyGate(closed.gate)) {
    return new ApiAuthError(`the API key ${key}… was refused before: ${why}`, {
      hint: "set another key, or `sluice budget reopen` when this one is good again",
    });
  }
  if (closed.gate.startsWith(`api:${key}:`)) {
    return new CreditsExhaustedError(`no credits until ${new Date(until).toISOString()}: ${why}`);
  }
  return new RateLimitedError(`rate limited until ${new Date(until).toISOString()}: ${why}`, {
    retryAfterMs: until - nowMs,
  });
}

/**
 * Tells before a run reads anything whether its requests, of the family `ingestion` where none is named, may leave at all; a
 * rate limit is no reason to wait yet.
 * @throws {ApiAuthError} the key was refused. @throws {CreditsExhaustedError} there are no credits.
 */
export async function assertMaySend(
  state: Pick<StateClient, "gates">,
  apiKey: Secret,
  { family = "ingestion", ...now }: Moment & { readonly family?: "ingestion" | "search" },
): Promise<void> {
  const key = keyName(apiKey);
  const { all } = gatesOf({ kind: "api", family }, key);
  for (const gate of await state.gates({ prefix: `api:${key}`, ...now })) {
    if (!all.includes(gate.gate) || gate.closedUntil === null) continue;
    const error = closedError(gate, key, now.nowMs);
    if (!(error instanceof RateLimitedError)) throw error;
  }
}
