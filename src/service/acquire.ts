import { setTimeout } from "node:timers/promises";

import type { Gate, Pace, Pass } from "../api/rate-limiter.ts";
import type { Clock } from "../clock.ts";
import { RateLimitedError } from "../errors.ts";
import { probeFirstMs, probeSpreadMs, sleepInActivityMsMax } from "../limits.ts";
import type { Health } from "../state/rules/breaker.ts";
import type { GateState, SlotAnswer } from "../state/sqlite/rate-limit.ts";
import type { StateClient } from "../state/state-store.ts";
import { closedError, gatesOf } from "./key-limits.ts";
import { countRequest, countWait, placeOfRequester } from "./requester.ts";

/** Waits for so many ms, or rejects when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Sleeps on a timer of this process. */
export const sleepOnTimer: Sleep = async (ms, signal) =>
  await setTimeout(ms, undefined, { signal });

/** What a turnstile is made of. */
export type TurnstileParts = {
  readonly state: Pick<StateClient, "takeSlot" | "noteOutcome" | "gates">;
  /** Name of the key. */
  readonly key: string;
  readonly requestsPerSecond: number;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly sleep: Sleep;
  /** Gates of which the next success is news: nearly all successes need no write. */
  readonly troubled: Set<string>;
};

/** How a request ended. */
export type Ending = { readonly outcome: Health; readonly why?: string };

/** Lets the requests of one key in, and hears how they ended. */
export type Turnstile = {
  readonly enter: Pace["enter"];
  readonly ended: (gate: Gate, pass: Pass, ending: Ending) => Promise<void>;
};

/** Makes the turnstile of one key. */
export function createTurnstile(parts: TurnstileParts): Turnstile {
  const { state, key, clock, troubled } = parts;
  const ended: Turnstile["ended"] = async (gate, { isProbe }, ending) => {
    const { rate } = gatesOf(gate, key);
    const { outcome } = ending;
    const isNews =
      isProbe || outcome === "failed" || (outcome === "succeeded" && troubled.has(rate));
    if (!isNews) return;
    if (outcome === "succeeded") troubled.delete(rate);
    else if (outcome === "failed") troubled.add(rate);
    // The request cannot be taken back. What the store does not hear now it hears from the next one, and a probe lapses.
    await state.noteOutcome({ gate: rate, ...ending, isProbe, ...clock() }).catch(() => undefined);
  };
  const enter: Turnstile["enter"] = async (gate, signal) => {
    const { rate, all } = gatesOf(gate, key);
    // The storage has no budget of its own: an upload address was paid for when it was asked for.
    const perSecond = gate.kind === "storage" ? Infinity : parts.requestsPerSecond;
    const ask = { gate: rate, gates: all, perSecond, waitMaxMs: sleepInActivityMsMax };
    const answer = await state.takeSlot({ ...ask, ...placeOfRequester(), ...clock() });
    const { waitMs, isProbe, isTroubled } = grantedOf(answer, parts);
    if (isTroubled) troubled.add(rate);
    if (waitMs > 0) {
      try {
        await parts.sleep(waitMs, signal);
        await assertOpen(all, isProbe, parts);
      } catch (error) {
        await ended(gate, { isProbe }, { outcome: "undecided" });
        throw error;
      }
    }
    countRequest();
    return { isProbe };
  };
  return { enter, ended };
}

/** The slot of an answer that gives one; every other is thrown as what says when to come back. */
function grantedOf(
  answer: SlotAnswer,
  parts: TurnstileParts,
): Extract<SlotAnswer, { granted: true }> {
  if ("closed" in answer) throw refusal(answer.closed, parts);
  if ("failing" in answer) throw failing(answer, parts);
  countWait(answer.waitMs);
  if (answer.granted) return answer;
  const message = `the budget of ${parts.requestsPerSecond} requests a second is spoken for`;
  throw new RateLimitedError(message, { retryAfterMs: answer.waitMs });
}

function refusal(gate: GateState, { key, clock }: TurnstileParts): Error {
  const error = closedError(gate, key, clock().nowMs);
  if (error instanceof RateLimitedError) countWait(error.retryAfterMs);
  return error;
}

function failing(
  { failing: gate, waitMs, stepMs }: Extract<SlotAnswer, { failing: GateState }>,
  { clock, random }: TurnstileParts,
): RateLimitedError {
  // Those who wait come back over a while, not all at the moment of the next probe.
  const retryAfterMs = waitMs + random() * Math.min(stepMs, probeSpreadMs);
  countWait(retryAfterMs);
  const until = new Date(clock().nowMs + waitMs).toISOString();
  const message = `the service is failing, probing until ${until}: ${gate.why ?? "no success"}`;
  return new RateLimitedError(message, { retryAfterMs, isOutage: true });
}

/** A gate may close while a request waits for its slot: it is looked at again just before bytes leave. */
async function assertOpen(
  gates: readonly string[],
  isProbe: boolean,
  parts: TurnstileParts,
): Promise<void> {
  const [prefix = ""] = gates;
  const states = await parts.state.gates({ prefix, ...parts.clock() });
  for (const gate of states.filter((each) => gates.includes(each.gate))) {
    if (gate.closedUntil !== null) throw refusal(gate, parts);
    if (gate.isFailing && !isProbe) {
      throw failing({ failing: gate, waitMs: probeFirstMs, stepMs: probeFirstMs }, parts);
    }
  }
}
