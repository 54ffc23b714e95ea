import { z } from "zod";

import type { Moment } from "../../clock.ts";

const time = z.number().default(0);
const times = z.int().default(0);
const text = z.string().nullable().default(null);

/** A rate limit as the store keeps it; `limitRow.parse({ name })` is one to which nothing has happened. */
export const limitRow = z.object({
  /** `api:<hash of the key>`, `…:<family>` for credits, `…:refused`, `put:<storage host>`. */
  name: z.string(),
  /** The boot whose clock gives all times but `writtenAtWall`, in ms; null for the wall clock. */
  bootId: text,
  writtenAt: time,
  /** Unix ms; used after a boot. */
  writtenAtWall: time,
  nextPermit: time,
  /** The next permit for a lower priority while a higher one waits. */
  nextLowPermit: time,
  /** When callers that asked too early come back; `token` names a request over all its attempts. */
  reservations: z
    .array(z.object({ token: z.string(), priority: z.int(), due: z.number() }))
    .default([]),
  blockedUntil: time,
  /** Reason of the block, or of the last failure. */
  why: text,
  /** In a row; from `failuresMax` on, the circuit breaker is not closed. */
  failures: times,
  /** While a probe is under way, when it counts as lost. */
  nextProbe: time,
  /** Answers "slow down" without a time, in a row. */
  throttled: times,
  throttledSince: time,
  throttledAt: time,
});

/** A rate limit as the store keeps it. */
export type LimitRow = Readonly<z.output<typeof limitRow>>;

/** A rate limit as a person reads it. */
export type RateLimit = {
  /** The `name` of its row. */
  readonly limit: string;
  /** Unix ms by the reader's wall clock; null if it is not blocked. */
  readonly blockedUntil: number | null;
  readonly why: string | null;
  /** Closed lets requests pass, open blocks them, half-open lets one pass as a probe. */
  readonly breaker: "closed" | "half-open" | "open";
};

/** A request that asks whether it may leave. */
export type PermitRequest = Moment & {
  /** None may be blocked; the permit is for the first, whose breaker must not be open either. */
  readonly limits: readonly [string, ...string[]];
  readonly perSecond: number;
  /** A permit further away is reserved instead of taken. */
  readonly waitMaxMs: number;
  /** As in a reservation; without it nothing is reserved. */
  readonly token?: string | undefined;
  /** 0 goes first. */
  readonly priority: number;
  /** Set after waiting for a permit: none is taken, and the answer says whether that one still counts. */
  readonly held?: { readonly isProbe: boolean } | undefined;
};

/** Whether a request may leave. */
export type PermitAnswer =
  /** It may, after the wait; if the limit is troubled, a success is to be noted. */
  | {
      readonly granted: true;
      readonly waitMs: number;
      readonly isProbe: boolean;
      readonly isTroubled: boolean;
    }
  /** The permits before that time are used up. */
  | { readonly granted: false; readonly waitMs: number }
  | { readonly blocked: RateLimit }
  /** The breaker lets nobody pass; `stepMs` is the time between two probes. */
  | { readonly failing: RateLimit; readonly waitMs: number; readonly stepMs: number };

/** What happened to a limit. */
export type LimitEvent =
  /** Blocked for this long, or for longer if it already was. */
  | { readonly kind: "blocked"; readonly forMs: number; readonly why: string }
  /** The service answered "slow down" without a time. */
  | { readonly kind: "throttled" }
  /** A request ended; `undecided` says nothing about the service. */
  | {
      readonly kind: "succeeded" | "failed" | "undecided";
      readonly isProbe: boolean;
      readonly why: string;
    }
  /** A person lets requests pass. */
  | { readonly kind: "reset" };

/** One rate over all processes, and what blocks it. */
export interface RateLimitStore {
  /** Takes the next permit (generic cell rate algorithm), reserves one, or says what blocks. */
  acquirePermit(input: PermitRequest): PermitAnswer;
  /** Notes what happened to a limit; returns its row. */
  noteLimit(input: Moment & { readonly limit: string; readonly event: LimitEvent }): LimitRow;
  /** In the order of their names. */
  rateLimits(now: Moment): RateLimit[];
}
