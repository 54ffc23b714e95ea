import { z } from "zod";

import { steadyMs, type Moment } from "../../clock.ts";
import { lockWaitMs, probeFirstMs } from "../../limits.ts";
import { failuresMax, probeLapseMs, probeStepMs, faultForgottenMs } from "../limits.ts";

/** A row of `budget`. Times without a unit in the comment are of the clock that `bootId` names (`steadyMs`). */
export const gateRow = z
  .object({
    /** `api:<hash of the key>`, `…:<family>` for credits, `…:refused`, `put:<storage host>`. */
    gate: z.string(),
    /** Null is the wall clock. */
    bootId: z.string().nullable(),
    /** When the row was last written. */
    writtenAt: z.number(),
    /** When the next request may leave. */
    nextSlot: z.number(),
    /** When the next one of a lower class may leave while a higher class waits. */
    nextLowSlot: z.number(),
    /** Which of those slots nobody was told to come back for. */
    nextLowDue: z.number(),
    closedAt: z.number(),
    /** Unix ms; decides alone after a boot. */
    closedAtWall: z.number(),
    /** In ms; 0 is open. */
    closedFor: z.number(),
    why: z.string().nullable(),
    /** In a row; from `failuresMax` on, the gate is half-closed. */
    failures: z.int(),
    failedWhy: z.string().nullable(),
    nextProbe: z.number(),
    /** When the probe under way counts as lost; 0 where there is none. */
    probeLapses: z.number(),
    /** "Slow down" without a hint, in a row. */
    slowed: z.int(),
    slowedSince: z.number(),
    slowedAt: z.number(),
  })
  .readonly();

/** A gate as the store keeps it. */
export type GateRow = z.output<typeof gateRow>;

/** A gate that nothing happened to. */
export function newGate(gate: string, now: Moment): GateRow {
  return {
    gate,
    bootId: now.boot?.id ?? null,
    writtenAt: steadyMs(now),
    nextSlot: 0,
    nextLowSlot: 0,
    nextLowDue: 0,
    closedAt: 0,
    closedAtWall: 0,
    closedFor: 0,
    why: null,
    failures: 0,
    failedWhy: null,
    nextProbe: 0,
    probeLapses: 0,
    slowed: 0,
    slowedSince: 0,
    slowedAt: 0,
  };
}

/** Whether the row's times can be compared with `now`: of the same boot, and of a clock that did not step back. */
export function isOnClockOf(row: GateRow, now: Moment): boolean {
  // A caller may have read its clock before it waited for the store.
  return row.bootId === (now.boot?.id ?? null) && row.writtenAt - steadyMs(now) <= lockWaitMs;
}

/**
 * The row on the clock of `now`. After a boot the wall clock says how much of a closing is over; where it stepped back the
 * wait starts again, once. Slots and probes are of the past then.
 */
export function onClockOf(row: GateRow, now: Moment): GateRow {
  if (isOnClockOf(row, now)) return row;
  const elapsed = now.nowMs - row.closedAtWall;
  const over = elapsed < 0 ? 0 : elapsed;
  const { gate, closedFor, why, failures, failedWhy } = row;
  return {
    ...newGate(gate, now),
    closedAt: steadyMs(now) - over,
    closedAtWall: now.nowMs - over,
    closedFor,
    why,
    failures,
    failedWhy,
  };
}

/** How long the gate stays closed; 0 is open. `row` is on the clock of `now`. */
export function closedForMs(row: GateRow, now: Moment): number {
  return Math.max(0, row.closedAt + row.closedFor - steadyMs(now));
}

/** Closes a gate until the later of `forMs` and what it was closed for. */
export function closed(
  row: GateRow,
  { forMs, why, now }: { readonly forMs: number; readonly why: string; readonly now: Moment },
): GateRow {
  const closedFor = Math.max(forMs, closedForMs(row, now));
  return { ...row, closedAt: steadyMs(now), closedAtWall: now.nowMs, closedFor, why };
}

/** Opens a gate, whatever closed it. */
export function reopened(row: GateRow): GateRow {
  const isWell = { failures: 0, failedWhy: null, probeLapses: 0, slowed: 0 };
  return { ...row, ...isWell, closedFor: 0, why: null };
}

/** Whether one probe at a time is all that may leave. */
export function isHalfClosed({ failures }: Pick<GateRow, "failures">): boolean {
  return failures >= failuresMax;
}

/** How long after a failure the next probe leaves: 1 s, doubling to 30 s. */
export function probeWaitMs({ failures }: Pick<GateRow, "failures">): number {
  return Math.min(probeStepMs, probeFirstMs * 2 ** Math.max(0, failures - failuresMax));
}

/** When to ask for a probe again; in the past or now, it may leave. While one is under way nobody knows, so a step is waited. */
export function nextProbeAt(row: GateRow, now: Moment): number {
  const steady = steadyMs(now);
  return row.probeLapses > steady
    ? Math.min(row.probeLapses, steady + probeWaitMs(row))
    : row.nextProbe;
}

/** What became of a request, as far as it says how the service is. */
export type Health = "succeeded" | "failed" | "undecided";

/** The row after a request ended. */
export function ended(
  row: GateRow,
  how: {
    readonly outcome: Health;
    readonly isProbe: boolean;
    readonly why: string | null;
    readonly now: Moment;
  },
): GateRow {
  const { outcome, isProbe, why, now } = how;
  if (outcome === "succeeded") {
    return { ...row, failures: 0, failedWhy: null, probeLapses: 0, slowed: 0 };
  }
  const over = isProbe ? { ...row, probeLapses: 0 } : row;
  // What left before the gate half-closed says nothing new: only the probe's failure lengthens the step.
  if (outcome === "undecided" || (isHalfClosed(row) && !isProbe)) return over;
  const failed = { ...over, failures: row.failures + 1, failedWhy: why };
  return { ...failed, nextProbe: steadyMs(now) + probeWaitMs(failed) };
}

/** The row with a probe under way. */
export function probed(row: GateRow, now: Moment): GateRow {
  return { ...row, probeLapses: steadyMs(now) + probeLapseMs };
}

/** The row after one more "slow down" without a hint; what lies too far back is another story. */
export function slowedOnce(row: GateRow, now: Moment): GateRow {
  const steady = steadyMs(now);
  const isInARow = row.slowed > 0 && steady - row.slowedAt <= faultForgottenMs;
  const since = isInARow ? row.slowedSince : steady;
  return { ...row, slowed: isInARow ? row.slowed + 1 : 1, slowedSince: since, slowedAt: steady };
}
