import { steadyMs } from "../../clock.ts";
import type { LimitRow, PermitAnswer, PermitRequest } from "../contract/rate-limit.ts";
import { lowPriorityPermits, probeLostMs, reservationExpiresMs } from "../limits.ts";
import { blockedForMs, breakerOf, probeStepOf, rateLimitOf } from "./breaker.ts";

/**
 * Decides whether a request may leave. `rows` are those of its limits, on its clock; the result's `row` is the first of
 * them, if it changed.
 */
export function decidePermit(
  rows: readonly [LimitRow, ...LimitRow[]],
  request: PermitRequest,
): { readonly answer: PermitAnswer; readonly row?: LimitRow } {
  const blocking = rows.find((each) => blockedForMs(each, request) > 0);
  if (blocking !== undefined) return { answer: { blocked: rateLimitOf(blocking, request) } };
  const [row] = rows;
  const { held } = request;
  const now = steadyMs(request);
  const breaker = breakerOf(row, request);
  const mayPass = held === undefined ? breaker !== "open" : held.isProbe || breaker === "closed";
  if (!mayPass) {
    const stepMs = probeStepOf(row);
    // Nobody knows when a probe under way will end, so the wait is at most a step.
    const waitMs = Math.min(Math.max(0, row.nextProbe - now), stepMs);
    return { answer: { failing: rateLimitOf(row, request), waitMs, stepMs } };
  }
  const isProbe = held?.isProbe ?? breaker === "half-open";
  const isTroubled = row.failures > 0 || row.throttled > 0;
  if (held !== undefined) return { answer: { granted: true, waitMs: 0, isProbe, isTroubled } };
  const { granted, waitMs, ...next } = takeOrReserve(row, request);
  if (!granted) return { answer: { granted, waitMs }, row: next.row };
  const nextProbe = isProbe ? now + probeLostMs : row.nextProbe;
  return { answer: { granted, waitMs, isProbe, isTroubled }, row: { ...next.row, nextProbe } };
}

/**
 * Takes the next permit, or reserves one. A caller waits behind its own and higher priorities; an outranked one gets
 * every tenth permit, if that is sooner.
 */
function takeOrReserve(
  row: LimitRow,
  { token, priority, perSecond, waitMaxMs, ...moment }: PermitRequest,
): { readonly granted: boolean; readonly waitMs: number; readonly row: LimitRow } {
  const now = steadyMs(moment);
  const latest = now + waitMaxMs;
  const spacing = 1_000 / perSecond;
  const ten = lowPriorityPermits * spacing;
  const waiting = row.reservations.filter(({ due }) => due > now - reservationExpiresMs);
  const own = waiting.find((each) => each.token === token)?.due;
  const others = waiting.filter((each) => each.token !== token);
  const ahead = others.filter((each) => each.priority <= priority);
  const highest = Math.min(...ahead.map((each) => each.priority));
  const isOutranked = highest < priority;
  const outranked = ahead.filter((each) => each.priority > highest);

  const next = Math.max(now, row.nextPermit);
  const behindAll = Math.max(next, lastDue(ahead) + spacing);
  const tenth = Math.max(row.nextLowPermit, lastDue(outranked) + ten);
  const due = isOutranked ? Math.max(own ?? tenth, row.nextLowPermit) : (own ?? behindAll);
  // An outranked caller leaves with its tenth permit, not with an earlier one.
  const dueBy = isOutranked ? next : latest;
  if (next <= latest && due <= dueBy) {
    const nextLowPermit = isOutranked ? next + ten : row.nextLowPermit;
    const taken = { nextPermit: next + spacing, nextLowPermit, reservations: others };
    return { granted: true, waitMs: next - now, row: { ...row, ...taken } };
  }
  const turn = tenth > next ? tenth : next + ten - spacing;
  // If all callers ahead are overdue, they are dead or about to ask, so behind them means now.
  const isTurn = isOutranked && (turn < behindAll || behindAll === next);
  const at = own !== undefined && own > dueBy ? own : isTurn ? turn : behindAll;
  const reservations = token === undefined ? waiting : [...others, { token, priority, due: at }];
  return { granted: false, waitMs: at - now, row: { ...row, reservations } };
}

function lastDue(reservations: LimitRow["reservations"]): number {
  return Math.max(...reservations.map(({ due }) => due));
}
