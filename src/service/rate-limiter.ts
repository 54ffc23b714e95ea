import type { Gate, Pace } from "../api/rate-limiter.ts";
import { systemClock, type Clock } from "../clock.ts";
import { CreditsExhaustedError } from "../errors.ts";
import { backoffBaseMs, backoffMaxMs, creditsSuspectedMs } from "../limits.ts";
import type { Secret } from "../security/secret.ts";
import type { StateClient } from "../state/state-store.ts";
import { createTurnstile, sleepOnTimer, type Sleep } from "./acquire.ts";
import { creditsGate, gatesOf, keyName, neverMs } from "./key-limits.ts";
import { countWait } from "./requester.ts";

/** The longest wait after so many refusals in a row; drawn from, so that workers refused together do not come back together. */
function backoffStepMs(times: number): number {
  return Math.min(backoffMaxMs, backoffBaseMs * 2 ** (times - 1));
}

/** What a pace is made of. */
export type StorePaceSettings = {
  readonly state: Pick<
    StateClient,
    "takeSlot" | "closeGate" | "countSlowDown" | "noteOutcome" | "gates"
  >;
  readonly apiKey: Secret;
  readonly requestsPerSecond: number;
  readonly creditsRetryMs: number;
  /** @default the system's clocks */
  readonly clock?: Clock;
  /** From 0 to 1. @default Math.random */
  readonly random?: () => number;
  /** @default a timer */
  readonly sleep?: Sleep;
};

/**
 * The pace of one key, kept in the state store so that every worker keeps it. A wait above
 * `sleepInActivityMsMax` is thrown as RateLimitedError, so that it costs no worker slot.
 */
export function createStorePace(settings: StorePaceSettings): Pace {
  const { state, creditsRetryMs, clock = systemClock(), random = Math.random } = settings;
  const { requestsPerSecond, sleep = sleepOnTimer } = settings;
  const key = keyName(settings.apiKey);
  const close = async (gate: string, ms: number, why: string): Promise<void> => {
    const now = clock();
    await state.closeGate({ gate, untilMs: Math.ceil(now.nowMs + ms), why, ...now });
  };
  /** Gates of which the next success is news: nearly all successes need no write. */
  const troubled = new Set<string>();
  const parts = { state, key, requestsPerSecond, clock, random, sleep, troubled };
  const { enter, ended } = createTurnstile(parts);
  const exhausted = async (gate: Gate, message: string): Promise<void> =>
    await close(creditsGate(gate, key), creditsRetryMs, message);

  return {
    enter,
    slowDown: async (gate, hintMs, why) => {
      const { rate } = gatesOf(gate, key);
      let waitMs = hintMs;
      if (waitMs === undefined) {
        troubled.add(rate);
        const { times, forMs } = await state.countSlowDown({ gate: rate, ...clock() });
        if (gate.kind === "api" && forMs >= creditsSuspectedMs) {
          const message = `${why}, and so for an hour without one success: probably no credits`;
          await exhausted(gate, message);
          throw new CreditsExhaustedError(message);
        }
        waitMs = random() * backoffStepMs(times);
      }
      waitMs = Math.max(1_000, waitMs);
      await close(rate, waitMs, why);
      countWait(waitMs);
      return waitMs;
    },
    creditsExhausted: exhausted,
    keyRefused: async (message) => {
      // Until the key changes: another key has gates of its own.
      await close(`api:${key}:refused`, neverMs, message);
    },
    succeeded: async (gate, pass) => await ended(gate, pass, { outcome: "succeeded" }),
    failed: async (gate, pass, why) => await ended(gate, pass, { outcome: "failed", why }),
    undecided: async (gate, pass) => await ended(gate, pass, { outcome: "undecided" }),
  };
}
