import { type RawBuilder, sql } from "kysely";

import type { Moment } from "../../../clock.ts";
import type { Ranges } from "../../ranges.ts";
import { indexedKey } from "../dialect.ts";
import { integersOf, rangesOf, recordsOf } from "../lists.ts";
import type { SentKeys } from "../sends/sent-keys.ts";
import type { Queries } from "../state-database.ts";
import { isOver, type PendingRequest } from "./request-window.ts";
import { concerningRequests } from "./requests.ts";

// A key is in doubt if its record left again while an older request might still be applied over it. It stays in doubt
// until a request that began after the end of the older one was accepted. Every function is called inside a
// transaction.

/** A part that is about to leave. */
export type LeavingPart = {
  readonly setId: number;
  readonly stream: string;
  readonly runId: string;
  readonly send: number;
  readonly part: number;
  /** The part and the parts that it was split from: they hold the same records. */
  readonly ancestors: readonly number[];
  readonly ranges: Ranges;
};

/** A part that the service accepted. */
export type AcceptedPart = {
  readonly ranges: Ranges;
  /** The numbers of the requests that were not over when it left. */
  readonly landing: readonly number[];
};

/** Whether any key of a set is in doubt. */
async function isAnyInDoubt(queries: Queries, setId: number): Promise<boolean> {
  const found = await queries
    .selectFrom("doubts")
    .select("key")
    .where("setId", "=", setId)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** The requests of other stagings, and of other parts of this one, that may still be applied when this part is. */
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

/**
 * The requests that are not over: the numbers of all, and those that may be applied when a part is, with nothing that
 * orders them before it.
 */
export async function landingWith(
  queries: Queries,
  part: LeavingPart,
  now: Moment,
): Promise<{ readonly all: readonly number[]; readonly before: readonly PendingRequest[] }> {
  const concerning = await concerningRequests(queries, part.setId);
  const landing = concerning.filter((request) => !isOver(request, now));
  return { all: landing.map(({ request }) => request), before: mayLand(part, landing) };
}

/**
 * Puts keys of a part in doubt if it leaves before these requests with the same keys are over. Each request takes one
 * statement, because a part may hold hundreds of thousands of keys.
 */
export async function leaveInDoubt(
  queries: Queries,
  sentKeys: SentKeys,
  {
    part: { setId, send, ranges },
    before,
  }: {
    readonly part: LeavingPart;
    readonly before: readonly PendingRequest[];
  },
): Promise<void> {
  const isKnown = await isAnyInDoubt(queries, setId);
  if (before.length === 0 && !isKnown) return;
  // If a key is there twice, its last record is the newer one.
  const records = [...new Map(await sentKeys.of(queries, send, ranges))];
  const doubts = sql.table("doubts");
  const again = sql`on conflict (set_id, ${indexedKey(queries)}, request) do update
    set next_send = excluded.next_send, next_record = excluded.next_record`;
  for (const { request, send: other, ranges: sent } of before) {
    const keys = new Set((await sentKeys.of(queries, other, sent)).map(([key]) => key));
    const mine = recordsOf(
      queries,
      records.filter(([key]) => keys.has(key)),
    );
    await sql`
      insert into ${doubts} (set_id, key, request, next_send, next_record)
      select cast(${setId} as bigint), key, cast(${request} as bigint), cast(${send} as bigint), record
      from ${mine} mine where true ${again}`.execute(queries);
  }
  if (!isKnown) return;
  // `cross join` makes SQLite look up each key: otherwise its planner may go through all that is in doubt for each.
  await sql`
    insert into ${doubts} (set_id, key, request, next_send, next_record)
    select d.set_id, d.key, d.request, cast(${send} as bigint), mine.record
    from ${recordsOf(queries, records)} mine cross join ${doubts} d
    where d.set_id = ${setId} and d.key = mine.key ${again}`.execute(queries);
}

/** A staging whose parts are accepted. */
type SentStaging = {
  readonly setId: number;
  readonly send: number;
  readonly accepted: readonly AcceptedPart[];
};

/** Whether a doubt's next record is one of a staging's records in `ranges`, in SQL. */
function isNextIn(
  queries: Queries,
  { setId, send }: SentStaging,
  ranges: Ranges,
): RawBuilder<unknown> {
  return sql`set_id = ${setId} and next_send = ${send} and exists (
    select 1 from ${rangesOf(queries, ranges)} taken where next_record >= lower and next_record < upper)`;
}

/** Names the last record that the service took of each key whose last one it refused. */
async function nameTaken(
  queries: Queries,
  sentKeys: SentKeys,
  staging: SentStaging,
): Promise<void> {
  const { setId, send, accepted } = staging;
  const doubts = sql.table("doubts");
  const ranges = accepted.flatMap((part) => part.ranges).toSorted(([a], [b]) => a - b);
  const isRefused = sql`set_id = ${setId} and next_send = ${send} and not (${isNextIn(queries, staging, ranges)})`;
  const { rows } = await sql`select 1 from ${doubts} where ${isRefused} limit 1`.execute(queries);
  if (rows.length === 0) return;
  const records = recordsOf(queries, [...new Map(await sentKeys.of(queries, send, ranges))]);
  await sql`
    update ${doubts} set next_record = mine.record from ${records} mine
    where mine.key = ${doubts}.key and ${isRefused}`.execute(queries);
}

/**
 * Takes over what a staging sent; called with its parts once they are accepted. Returns how many keys were sent again.
 */
export async function commitDoubts(
  queries: Queries,
  sentKeys: SentKeys,
  staging: SentStaging,
): Promise<number> {
  const { setId, send, accepted } = staging;
  if (!(await isAnyInDoubt(queries, setId))) return 0;
  await nameTaken(queries, sentKeys, staging);
  const doubts = sql.table("doubts");
  const isIn = (ranges: Ranges) => isNextIn(queries, staging, ranges);
  const all = isIn(accepted.flatMap(({ ranges }) => ranges));
  const { rows } = await sql<{ readonly keys: number }>`
    select count(distinct key) as keys from ${doubts} where send is not null and ${all}`.execute(
    queries,
  );
  for (const { ranges, landing } of accepted) {
    await sql`
      delete from ${doubts} where ${isIn(ranges)} and request not in ${integersOf(queries, landing)}`.execute(
      queries,
    );
  }
  await sql`
    update ${doubts} set send = next_send, record = next_record, next_send = null, next_record = null, is_lost = 0
    where ${all}`.execute(queries);
  // The service does not hold what it refused.
  await leaveAlone(queries, send);
  await forgetEmpty(queries);
  return rows[0]?.keys ?? 0;
}

/** Forgets what an uncommitted staging would have taken over. */
export async function dropDoubts(queries: Queries, send: number): Promise<void> {
  if ((await leaveAlone(queries, send)) > 0n) await forgetEmpty(queries);
}

async function leaveAlone(queries: Queries, send: number): Promise<bigint> {
  const { numUpdatedRows } = await queries
    .updateTable("doubts")
    .set({ nextSend: null, nextRecord: null })
    .where("nextSend", "=", send)
    .executeTakeFirst();
  return numUpdatedRows;
}

async function forgetEmpty(queries: Queries): Promise<void> {
  await queries
    .deleteFrom("doubts")
    .where("send", "is", null)
    .where("nextSend", "is", null)
    .execute();
}
