import { steadyMs, type Moment } from "../../clock.ts";
import {
  limitRow,
  type LimitEvent,
  type LimitRow,
  type RateLimit,
} from "../contract/rate-limit.ts";
import { failuresMax, faultForgottenMs, probeStepMs, lockWaitMs, probeFirstMs } from "../limits.ts";

/**
 * Converts a row to the clock of `now`; returns the same object if it is on that clock already. After a boot, the wall
 * clock says how much of a block is over; if that was set back, the wait starts again, once. Permits, reservations and
 * probes are dropped then.
 */
export function onClockOf(row: LimitRow, now: Moment): LimitRow {
  const bootId = now.boot?.id ?? null;
  // A caller may have read its clock before it waited for the store: that is not a step back.
  if (row.bootId === bootId && row.writtenAt - steadyMs(now) <= lockWaitMs) return row;
  const overMs = Math.max(0, now.nowMs - row.writtenAtWall);
  const leftMs = Math.max(0, row.blockedUntil - row.writtenAt - overMs);
  const { name, why, failures } = row;
  const blockedUntil = steadyMs(now) + leftMs;
  return written({ ...limitRow.parse({ name, bootId }), blockedUntil, why, failures }, now);
}

/** The row as it is stored at `now`. */
export function written(row: LimitRow, now: Moment): LimitRow {
  if (steadyMs(now) < row.writtenAt) return row;
  return { ...row, writtenAt: steadyMs(now), writtenAtWall: now.nowMs };
}

/** How long the limit stays blocked, in ms; 0 if it is not blocked. */
export function blockedForMs(row: LimitRow, now: Moment): number {
  return Math.max(0, row.blockedUntil - steadyMs(now));
}

/** The state of the circuit breaker; it is open while a probe is under way. */
export function breakerOf(row: LimitRow, now: Moment): RateLimit["breaker"] {
  if (row.failures < failuresMax) return "closed";
  return row.nextProbe > steadyMs(now) ? "open" : "half-open";
}

/** Time from a failure to the next probe: 1 s, doubling to 30 s. */
export function probeStepOf({ failures }: LimitRow): number {
  return Math.min(probeStepMs, probeFirstMs * 2 ** (failures - failuresMax));
}

/** The row as a person reads it. */
export function rateLimitOf(row: LimitRow, now: Moment): RateLimit {
  const forMs = blockedForMs(row, now);
  const breaker = breakerOf(row, now);
  return {
    limit: row.name,
    blockedUntil: forMs === 0 ? null : Math.ceil(now.nowMs + forMs),
    why: forMs === 0 && breaker === "closed" ? null : row.why,
    breaker,
  };
}

/** The row after an event. */
export function afterEvent(row: LimitRow, event: LimitEvent, now: Moment): LimitRow {
  const at = steadyMs(now);
  if (event.kind === "blocked") {
    return { ...row, blockedUntil: Math.max(row.blockedUntil, at + event.forMs), why: event.why };
  }
  if (event.kind === "throttled") {
    // Refusals too far apart are not in a row.
    const isInARow = row.throttled > 0 && at - row.throttledAt <= faultForgottenMs;
    const { throttled, throttledSince } = isInARow ? row : { throttled: 0, throttledSince: at };
    return { ...row, throttled: throttled + 1, throttledSince, throttledAt: at };
  }
  if (event.kind === "failed") {
    // A request that left before the breaker opened says nothing new: only a probe lengthens the step.
    if (!event.isProbe && breakerOf(row, now) !== "closed") return row;
    const why = blockedForMs(row, now) > 0 ? row.why : event.why;
    const failed = { ...row, failures: row.failures + 1, why };
    return { ...failed, nextProbe: at + probeStepOf(failed) };
  }
  if (event.kind === "undecided") return event.isProbe ? { ...row, nextProbe: 0 } : row;
  const well = { ...row, failures: 0, throttled: 0 };
  return event.kind === "reset" ? { ...well, blockedUntil: 0 } : well;
}
