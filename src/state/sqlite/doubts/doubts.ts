import { z } from "zod";

import type { Moment } from "../../../clock.ts";
import type { Ranges } from "../../ranges.ts";
import type { Database } from "../database.ts";
import { all, count } from "../database.ts";
import { createSentKeys } from "../sends/sent-keys.ts";
import { createRequests, isOver, type PendingRequest } from "./requests.ts";

/** A part that is about to leave. */
export type LeavingPart = {
  readonly setId: number;
  readonly stream: string;
  readonly runId: string;
  readonly send: number;
  readonly part: number;
  /** The part and those that it was split from: they hold the same records. */
  readonly ancestors: readonly number[];
  readonly ranges: Ranges;
};

/** A part that the service took. */
export type AcceptedPart = {
  readonly ranges: Ranges;
  /** The numbers of the requests that were not over when it left. */
  readonly landing: readonly number[];
};

/**
 * What is in doubt: a key whose record left again while an older request might still be applied over it. It
 * stays in doubt until a request that began after the end of the older one was accepted. Every function is
 * called inside a transaction.
 */
export type Doubts = {
  /**
   * The requests that are not over: the numbers of all, and those that may be applied when a part is, without
   * being before it in order.
   */
  landing(
    part: LeavingPart,
    now: Moment,
  ): { readonly all: readonly number[]; readonly before: readonly PendingRequest[] };
  /** Puts in doubt what a part sends before these requests with its keys are over. */
  leave(part: LeavingPart, before: readonly PendingRequest[]): void;
  /** Takes over what a staging sent: to be called once its parts are accepted, with these. */
  commit(input: {
    readonly setId: number;
    readonly send: number;
    readonly accepted: readonly AcceptedPart[];
  }): { readonly repeated: number };
  /** Forgets what the uncommitted stagings of a run, chunks `from` to `last`, would have taken over. */
  drop(input: { readonly runId: string; readonly from: number; readonly last: number }): void;
  /** Tells of a set which keys are in doubt; undefined where none is. */
  ofSet(setId: number): ((key: string) => boolean) | undefined;
};

/** The parts of other stagings, and other parts of this one, that may still be applied when this part is. */
function mayLand(
  { setId, stream, runId, send, ancestors }: LeavingPart,
  pending: readonly PendingRequest[],
): PendingRequest[] {
  return pending.filter((request) => {
    if (request.setId !== setId) return request.stream === stream;
    if (request.send === send && ancestors.includes(request.part)) return false;
    // Another lane of this run sends other keys; its request is over before the next one of its lane begins.
    const isOnItsWay = request.isOpen && !request.isOld && request.sendState === "staged";
    return !(isOnItsWay && request.runId === runId);
  });
}

const isAnyInSet = "select count(*) from (select 1 from doubts where set_id = $setId limit 1)";

/** Which of the requests that concern a part are not over. */
function createLanding(db: Database): Doubts["landing"] {
  const requests = createRequests(db);
  return (part, now) => {
    const landing = requests.concerning(part.setId).filter((request) => !isOver(request, now));
    return { all: landing.map(({ request }) => request), before: mayLand(part, landing) };
  };
}

/**
 * Puts in doubt what leaves too early, each request in one statement: a part may hold hundreds of thousands
 * of keys.
 */
function createLeaving(db: Database): Doubts["leave"] {
  const sentKeys = createSentKeys(db);
  const isAny = db.prepare(isAnyInSet);
  const join = db.prepare(
    `insert into doubts (set_id, key, request, next_send, next_record)
     select $setId, value ->> 0, $request, $send, value ->> 1 from json_each($mine) where true
     on conflict do update set next_send = excluded.next_send, next_record = excluded.next_record`,
  );
  // `cross join` has each key looked up: the planner may go through all that is in doubt for each of them.
  const joinKnown = db.prepare(
    `insert into doubts (set_id, key, request, next_send, next_record)
     select d.set_id, d.key, d.request, $send, mine.value ->> 1
     from json_each($mine) mine cross join doubts d on d.set_id = $setId and d.key = mine.value ->> 0 where true
     on conflict do update set next_send = excluded.next_send, next_record = excluded.next_record`,
  );
  return ({ setId, send, ranges }, before) => {
    const isKnown = count(isAny, { setId }) > 0;
    if (before.length === 0 && !isKnown) return;
    // Of a key that is there twice the last record is the newer one.
    const records = [...new Map(sentKeys.of(send, ranges))];
    for (const { request, send: other, ranges: sent } of before) {
      const keys = new Set(sentKeys.of(other, sent).map(([key]) => key));
      const mine = JSON.stringify(records.filter(([key]) => keys.has(key)));
      join.run({ setId, request, send, mine });
    }
    if (isKnown) joinKnown.run({ setId, send, mine: JSON.stringify(records) });
  };
}

/** Makes the functions for what is in doubt. */
export function createDoubts(db: Database): Doubts {
  const isAny = db.prepare(isAnyInSet);
  const isOne = db.prepare("select count(*) from doubts where set_id = $setId and key = $key");
  const isAccepted =
    "exists (select 1 from json_each($accepted) r where next_record >= r.value ->> 0 and next_record < r.value ->> 1)";
  const ofSend = "set_id = $setId and next_send = $send";
  const repeated = db.prepare(
    `select count(distinct key) from doubts where ${ofSend} and send is not null and ${isAccepted}`,
  );
  const settle = db.prepare(
    `delete from doubts where ${ofSend} and ${isAccepted}
       and request not in (select value from json_each($landing))`,
  );
  const takeOver = db.prepare(
    `update doubts set send = next_send, record = next_record, next_send = null, next_record = null, is_lost = 0
     where ${ofSend} and ${isAccepted}`,
  );
  const leaveAlone = db.prepare(
    "update doubts set next_send = null, next_record = null where next_send = $send",
  );
  const forgetEmpty = db.prepare("delete from doubts where send is null and next_send is null");
  const dropping = db.prepare(
    `select send from stagings
     where run_id = $runId and chunk between $from and $last and state in ('staging', 'staged')`,
  );
  return {
    landing: createLanding(db),
    leave: createLeaving(db),
    commit: ({ setId, send, accepted }) => {
      if (count(isAny, { setId }) === 0) return { repeated: 0 };
      const sent = accepted.flatMap(({ ranges }) => ranges);
      const what = { setId, send, accepted: JSON.stringify(sent) };
      const times = count(repeated, what);
      for (const { ranges, landing } of accepted) {
        const part = { accepted: JSON.stringify(ranges), landing: JSON.stringify(landing) };
        settle.run({ setId, send, ...part });
      }
      takeOver.run(what);
      // What the service refused it does not hold.
      leaveAlone.run({ send });
      forgetEmpty.run();
      return { repeated: times };
    },
    drop: (chunks) => {
      const sends = all(z.object({ send: z.int() }), dropping, chunks);
      for (const { send } of sends) {
        if (leaveAlone.run({ send }).changes > 0) forgetEmpty.run();
      }
    },
    ofSet: (setId) =>
      count(isAny, { setId }) === 0 ? undefined : (key) => count(isOne, { setId, key }) > 0,
  };
}
