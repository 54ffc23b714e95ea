import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import type { Gate, Pace } from "./api/pace.ts";
import { ApiAuthError, CreditsExhaustedError, RateLimitedError } from "./errors.ts";
import { backoffBaseMs, backoffMaxMs, sleepInActivityMsMax } from "./limits.ts";
import type { Secret } from "./secret.ts";
import type { GateState } from "./state/budget.ts";
import type { StateClient } from "./state/state-store.ts";

/** What requests cost while `tallied` ran. */
export type PaceTally = { requests: number; waitedMs: number };

const tallies = new AsyncLocalStorage<PaceTally>();

/** Runs `work` and adds every request it makes, and every wait it is told, to `tally`. */
export async function tallied<Result>(
  tally: PaceTally,
  work: () => Promise<Result>,
): Promise<Result> {
  return await tallies.run(tally, work);
}

function addWait(ms: number): void {
  const tally = tallies.getStore();
  if (tally !== undefined) tally.waitedMs += ms;
}

/** Names an API key in gates and logs: the first 8 hex characters of its sha256. */
export function keyName(apiKey: Secret): string {
  return createHash("sha256").update(apiKey.reveal()).digest("hex").slice(0, 8);
}

/** Whether a gate is closed until its key changes: the time it carries then means nothing. */
export function isRefusedKeyGate(gate: string): boolean {
  return gate.endsWith(":refused");
}

/** Far beyond any clock: a refused key's gate has no end of its own. */
const neverMs = Number.MAX_SAFE_INTEGER / 2;

/** The gates of a key, or of one storage host; all that begin with `api:` and the key's name belong to the key. */
function gatesOf(gate: Gate, key: string): { readonly rate: string; readonly all: string[] } {
  if (gate.kind === "storage") return { rate: `put:${gate.host}`, all: [`put:${gate.host}`] };
  const rate = `api:${key}`;
  return { rate, all: [rate, `${rate}:refused`, `${rate}:${gate.family}`] };
}

/** The gate of the family whose credits are used up; the storage has none. */
function creditsGate(gate: Gate, key: string): string {
  return `api:${key}:${gate.kind === "api" ? gate.family : "ingestion"}`;
}

/** The error of a request that must not leave, as the gate that holds it says. */
function closedError(closed: GateState, key: string, nowMs: number): Error {
  const until = closed.closedUntil ?? nowMs;
  const why = closed.why ?? "closed";
  if (isRefusedKeyGate(closed.gate)) {
    return new ApiAuthError(`the API key ${key}… was refused before: ${why}`, {
      hint: "set another key, or `sluice budget reopen` when this one is good again",
    });
  }
  if (closed.gate.startsWith(`api:${key}:`)) {
    return new CreditsExhaustedError(`no credits until ${new Date(until).toISOString()}: ${why}`, {
      hint: "`sluice budget reopen` when there are credits again",
    });
  }
  return new RateLimitedError(`rate limited until ${new Date(until).toISOString()}: ${why}`, {
    retryAfterMs: until - nowMs,
  });
}

/**
 * Tells before a run reads anything whether what it would send may leave at all; a rate limit is no reason to wait yet.
 * @throws {ApiAuthError} the key was refused. @throws {CreditsExhaustedError} there are no credits.
 */
export async function assertMaySend(
  state: Pick<StateClient, "gates">,
  apiKey: Secret,
  nowMs: number,
): Promise<void> {
  const key = keyName(apiKey);
  const { all } = gatesOf({ kind: "api", family: "ingestion" }, key);
  for (const closed of await state.gates({ prefix: `api:${key}` })) {
    if (!all.includes(closed.gate) || (closed.closedUntil ?? 0) <= nowMs) continue;
    const error = closedError(closed, key, nowMs);
    if (!(error instanceof RateLimitedError)) throw error;
  }
}

function spokenFor(perSecond: number, retryAfterMs: number): RateLimitedError {
  const message = `the budget of ${perSecond} requests a second is spoken for`;
  return new RateLimitedError(message, { retryAfterMs });
}

/** The longest wait after so many refusals in a row; drawn from, so that workers refused together do not come back together. */
function backoffStepMs(times: number): number {
  return Math.min(backoffMaxMs, backoffBaseMs * 2 ** times);
}

/**
 * The pace of one key, kept in the state store so that every worker keeps it (promise 6). A wait above
 * `sleepInActivityMsMax` is thrown as RateLimitedError, so that it costs no worker slot.
 */
export function createStorePace(settings: {
  readonly state: Pick<StateClient, "takeSlot" | "closeGate" | "gates">;
  readonly apiKey: Secret;
  readonly requestsPerSecond: number;
  readonly creditsRetryMs: number;
  /** Unix ms. @default Date.now */
  readonly now?: () => number;
  /** From 0 to 1. @default Math.random */
  readonly random?: () => number;
}): Pace {
  const { state, now = Date.now, random = Math.random } = settings;
  const key = keyName(settings.apiKey);
  /** "Slow down" without a hint, in a row, by gate: the exponent of the back-off. */
  const unhinted = new Map<string, number>();
  const close = async (gate: string, ms: number, why: string): Promise<void> =>
    await state.closeGate({ gate, untilMs: now() + ms, why, nowMs: now() });

  const closed = (gate: GateState): Error => {
    const error = closedError(gate, key, now());
    if (error instanceof RateLimitedError) addWait(error.retryAfterMs);
    return error;
  };
  /** A gate may close while a request waits for its slot: it is looked at again just before bytes leave. */
  const assertOpen = async (gates: readonly string[]): Promise<void> => {
    const [prefix = ""] = gates;
    const states = await state.gates({ prefix });
    const found = states.find(
      ({ gate, closedUntil }) => gates.includes(gate) && (closedUntil ?? 0) > now(),
    );
    if (found !== undefined) throw closed(found);
  };

  return {
    enter: async (gate, signal) => {
      const { rate, all } = gatesOf(gate, key);
      // The storage has no budget of its own: an upload address was paid for when it was asked for.
      const perSecond = gate.kind === "storage" ? Infinity : settings.requestsPerSecond;
      const ask = { gate: rate, gates: all, perSecond, waitMaxMs: sleepInActivityMsMax };
      const answer = await state.takeSlot({ ...ask, nowMs: now() });
      if ("closed" in answer) throw closed(answer.closed);
      addWait(answer.waitMs);
      if (!answer.granted) throw spokenFor(perSecond, answer.waitMs * (1 + random() / 10));
      if (answer.waitMs > 0) {
        await sleep(answer.waitMs, undefined, { signal });
        await assertOpen(all);
      }
      const tally = tallies.getStore();
      if (tally !== undefined) tally.requests += 1;
    },
    slowDown: async (gate, hintMs, why) => {
      const { rate } = gatesOf(gate, key);
      const times = unhinted.get(rate) ?? 0;
      if (hintMs === undefined) unhinted.set(rate, times + 1);
      const waitMs = Math.max(1_000, hintMs ?? random() * backoffStepMs(times));
      await close(rate, waitMs, why);
      addWait(waitMs);
      return waitMs;
    },
    creditsExhausted: async (gate, message) =>
      await close(creditsGate(gate, key), settings.creditsRetryMs, message),
    keyRefused: async (message) => {
      // Until the key changes: another key has gates of its own.
      await close(`api:${key}:refused`, neverMs, message);
    },
    succeeded: (gate) => void unhinted.delete(gatesOf(gate, key).rate),
  };
}
