import { z } from "zod";

import { steadyMs, type Moment } from "../../../clock.ts";
import type { RequestWindow, Sender } from "../../contract/doubts/requests.ts";
import { jsonColumn } from "../../contract/json-column.ts";
import { ranges } from "../../ranges.ts";
import type { Database } from "../database.ts";
import { all } from "../database.ts";

const requestRow = z
  .object({
    request: z.int(),
    setId: z.int(),
    stream: z.string(),
    send: z.int(),
    part: z.int(),
    /** Of the part, when it left. */
    ranges: jsonColumn.pipe(ranges),
    /** Whether nobody has said yet how it ended. */
    isOpen: z.int().transform(Boolean),
    /** Null is the wall clock. */
    bootId: z.string().nullable(),
    /** When it began, on the clock of `bootId`. */
    since: z.number(),
    /** The same, in Unix ms. */
    sinceWall: z.number(),
    /** From `since` until nothing of it can be applied any more. */
    lastsMs: z.number(),
    runId: z.string(),
    kind: z.string(),
    sendState: z.string(),
    /** Whether its part was begun again since. */
    isOld: z.int().transform(Boolean),
    /** Whether a later run has sent all that the source holds. */
    isMade: z.int().transform(Boolean),
  })
  .readonly();

/** A request that may still apply its records, or of which it is not known that it cannot. */
export type PendingRequest = z.output<typeof requestRow>;

/** How long ago a request began or ended, in ms; below 0 where the clock was set back since. */
export function elapsedMs({ bootId, since, sinceWall }: PendingRequest, now: Moment): number {
  const isThisBoot = bootId === (now.boot?.id ?? null);
  return isThisBoot ? steadyMs(now) - since : now.nowMs - sinceWall;
}

/** How long until nothing of a request can be applied any more, in ms; it says nothing of one that is open. */
export function leftMs(request: PendingRequest, now: Moment): number {
  const { lastsMs } = request;
  const elapsed = elapsedMs(request, now);
  // Of a clock that was set back nobody knows how much time went by.
  return elapsed < 0 ? lastsMs : lastsMs - elapsed;
}

/** Whether nothing of a request can be applied any more. */
export function isOver(request: PendingRequest, now: Moment): boolean {
  return !request.isOpen && leftMs(request, now) <= 0;
}

/** A moment as columns hold it. */
export function momentColumns(now: Moment): {
  readonly bootId: string | null;
  readonly since: number;
  readonly sinceWall: number;
} {
  return { bootId: now.boot?.id ?? null, since: steadyMs(now), sinceWall: now.nowMs };
}

/** The requests of a store; every function is called inside a transaction. */
export type RequestStore = {
  /** Notes that a request begins; answers its number. */
  begin(
    input: Sender &
      RequestWindow & {
        readonly setId: number;
        readonly send: number;
        readonly part: number;
        readonly attempt: number;
      },
  ): number;
  /** Forgets a request of which nothing can be applied any more. */
  forget(request: number): void;
  /** Notes that a request ended and nobody knows whether it was, or will be, applied. */
  endUnknown(request: number, now: Moment): void;
  /** Notes that the service took a request just now; false when it is forgotten already. */
  endTaken(request: number, now: Moment): boolean;
  /** The requests of a set, in the order in which they began. */
  pending(setId: number): PendingRequest[];
  /**
   * Those, and what runs of other syncs left on their way to the same service when they ended: the sync may
   * have had another name.
   */
  concerning(setId: number): PendingRequest[];
};

/** Makes the functions for requests. */
export function createRequests(db: Database): RequestStore {
  const insert = db.prepare(
    `insert into requests (set_id, stream, send, part, attempt, process, boot_id, since, since_wall, deadline_ms,
      rest_ms, lasts_ms)
     values ($setId, $stream, $send, $part, $attempt, $process, $bootId, $since, $sinceWall, $deadlineMs, $restMs, 0)`,
  );
  const forget = db.prepare("delete from requests where request = $request");
  // Of another boot the wall clock tells how long it took; where that was set back, nothing does.
  const end = db.prepare(
    `update requests set is_open = 0, lasts_ms = rest_ms + max(deadline_ms,
       case when boot_id is $bootId then $since - since else $sinceWall - since_wall end)
     where request = $request and is_open`,
  );
  const taken = db.prepare(
    `update requests set is_open = 0, boot_id = $bootId, since = $since, since_wall = $sinceWall, lasts_ms = case
       (select form from receipts join stagings using (run_id, chunk, stage)
        where stagings.send = requests.send and receipts.part = requests.part) when 'file' then rest_ms else 0 end
     where request = $request`,
  );
  const select = `select q.request as request, q.set_id as setId, q.stream as stream, q.send as send, q.part as part,
    ranges, is_open as isOpen, boot_id as bootId, since,
       since_wall as sinceWall, lasts_ms as lastsMs, s.run_id as runId, kind, s.state as sendState,
       attempts > attempt as isOld, is_made as isMade
     from requests q join stagings s using (send) join runs using (run_id)
     join receipts r on r.run_id = s.run_id and r.chunk = s.chunk and r.stage = s.stage and r.part = q.part`;
  const pending = db.prepare(`${select} where q.set_id = $setId order by q.request`);
  // Two syncs that send at the same time are in nobody's order.
  const concerning = db.prepare(
    `${select} where q.set_id = $setId or (ended_at is not null and q.set_id in (
       select other.id from fingerprint_sets own join fingerprint_sets other using (target) where own.id = $setId))
     order by q.request`,
  );
  return {
    begin: ({ now, ...input }) =>
      Number(insert.run({ ...input, ...momentColumns(now) }).lastInsertRowid),
    forget: (request) => void forget.run({ request }),
    endUnknown: (request, now) => void end.run({ request, ...momentColumns(now) }),
    endTaken: (request, now) => taken.run({ request, ...momentColumns(now) }).changes === 1,
    pending: (setId) => all(requestRow, pending, { setId }),
    concerning: (setId) => all(requestRow, concerning, { setId }),
  };
}
