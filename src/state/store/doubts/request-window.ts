import { z } from "zod";

import { type Moment, steadyMs } from "../../../clock.ts";
import { jsonColumn } from "../../contract/json-column.ts";
import { ranges } from "../../ranges.ts";

const flag = z.int().transform(Boolean);

/** A stored request, with facts of its part, its staging and its run. */
export const pendingRow = z
  .object({
    request: z.int(),
    setId: z.int(),
    stream: z.string(),
    send: z.int(),
    part: z.int(),
    /** The ranges of its part when it left. */
    ranges: jsonColumn.pipe(ranges),
    /** Whether nobody has reported yet how it ended. */
    isOpen: flag,
    /** The boot on whose clock `since` is; null for the wall clock. */
    bootId: z.string().nullable(),
    /** When it began, on the clock of `bootId`. */
    since: z.number(),
    /** The same, in Unix ms. */
    sinceWall: z.number(),
    /** How long it lasts from `since` until nothing of it can be applied any more. */
    lastsMs: z.number(),
    runId: z.string(),
    kind: z.string(),
    sendState: z.string(),
    /** Whether its part was begun again since. */
    isOld: flag,
    /** Whether a later run has sent all that the source holds. */
    isMade: flag,
  })
  .readonly();

/** A request whose records may still be applied, or that is not known to be over. */
export type PendingRequest = z.output<typeof pendingRow>;

/** How long ago a request began or ended, in ms; below 0 if the clock was set back since. */
export function elapsedMs({ bootId, since, sinceWall }: PendingRequest, now: Moment): number {
  const isThisBoot = bootId === (now.boot?.id ?? null);
  return isThisBoot ? steadyMs(now) - since : now.nowMs - sinceWall;
}

/** How long until nothing of a request can be applied any more, in ms; meaningless for an open request. */
export function leftMs(request: PendingRequest, now: Moment): number {
  const { lastsMs } = request;
  const elapsed = elapsedMs(request, now);
  // If the clock was set back, nobody knows how much time went by.
  return elapsed < 0 ? lastsMs : lastsMs - elapsed;
}

/** Whether nothing of a request can be applied any more. */
export function isOver(request: PendingRequest, now: Moment): boolean {
  return !request.isOpen && leftMs(request, now) <= 0;
}

/** A moment as the columns hold it. */
export function momentColumns(now: Moment): {
  readonly bootId: string | null;
  readonly since: number;
  readonly sinceWall: number;
} {
  return { bootId: now.boot?.id ?? null, since: steadyMs(now), sinceWall: now.nowMs };
}
