import { z } from "zod";

import type { Moment } from "../clock.ts";
import type { Database } from "./database.ts";
import { all, count } from "./database.ts";
import type { Ranges } from "./ranges.ts";
import { createRequests, isOver, type PendingRequest } from "./requests.ts";
import { createSentKeys } from "./sent-keys.ts";

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

const doubtRow = z.object({ request: z.int() });

/**
 * What is in doubt: a key whose record left again while an older request might still be applied over it. It stays in doubt until a
 * request that began behind the end of the older one was accepted. Every function is called inside a transaction.
 */
export type Doubts = {
  /** Puts in doubt what a part sends before all older requests with its keys are over. */
  leave(part: LeavingPart, now: Moment): void;
  /** Takes over what a staging sent: to be called once its parts are accepted, with the ranges of these. */
  commit(input: { readonly setId: number; readonly send: number; readonly accepted: Ranges }): {
    readonly repeated: number;
  };
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

/** Puts in doubt what leaves too early. */
function createLeaving(db: Database): Doubts["leave"] {
  const requests = createRequests(db);
  const sentKeys = createSentKeys(db);
  const isAny = db.prepare(isAnyInSet);
  const ofKey = db.prepare("select request from doubts where set_id = $setId and key = $key");
  const join = db.prepare(
    `insert into doubts (set_id, key, request, next_send, next_record, next_is_after)
     values ($setId, $key, $request, $send, $record, $isAfter)
     on conflict do update set next_send = $send, next_record = $record, next_is_after = $isAfter`,
  );
  return ({ setId, send, ranges, ...part }, now) => {
    const pending = requests.concerning(setId);
    const ends = new Map(pending.map((request) => [request.request, isOver(request, now)]));
    const landing = mayLand({ setId, send, ranges, ...part }, pending).filter(
      ({ request }) => ends.get(request) === false,
    );
    const hasKnown = count(isAny, { setId }) > 0;
    if (landing.length === 0 && !hasKnown) return;
    const keysOf = new Map(
      landing.map(({ request, send: other, ranges: sent }) => [
        request,
        new Set(sentKeys.of(other, sent).map(([key]) => key)),
      ]),
    );
    for (const [key, record] of sentKeys.of(send, ranges)) {
      const found = landing.filter(({ request }) => keysOf.get(request)?.has(key) === true);
      const known = hasKnown ? all(doubtRow, ofKey, { setId, key }) : [];
      const joined = new Set([...found, ...known].map(({ request }) => request));
      for (const request of joined) {
        const isAfter = Number(ends.get(request) ?? true);
        join.run({ setId, key, request, send, record, isAfter });
      }
    }
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
    `delete from doubts where ${ofSend} and next_is_after and ${isAccepted}`,
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
    `select send from sends where run_id = $runId and chunk between $from and $last and state in ('staging', 'staged')`,
  );
  return {
    leave: createLeaving(db),
    commit: ({ setId, send, accepted }) => {
      if (count(isAny, { setId }) === 0) return { repeated: 0 };
      const what = { setId, send, accepted: JSON.stringify(accepted) };
      const times = count(repeated, what);
      settle.run(what);
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
