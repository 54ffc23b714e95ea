import { type RawBuilder, sql } from "kysely";

import type { Moment } from "../../../clock.ts";
import type { RequestWindow, Sender } from "../../contract/doubts/requests.ts";
import { greatest } from "../dialect.ts";
import type { Queries } from "../state-database.ts";
import { momentColumns, type PendingRequest, pendingRow } from "./request-window.ts";

// The requests of a store; every function is called inside a transaction.

/** A request that begins. */
export type RequestToBegin = Sender &
  RequestWindow & {
    readonly setId: number;
    readonly send: number;
    readonly part: number;
    readonly attempt: number;
  };

/**
 * Notes that a request begins; returns its number. A retry of a part may not know every request that it began before:
 * the answer with its number may have been lost with the connection at its commit. Nobody else would end such a request
 * while this process lives, so it is ended here, and counts as long as any other that ended without an answer.
 */
export async function beginRequest(
  queries: Queries,
  { now, setId, stream, send, part, attempt, process, deadlineMs, restMs }: RequestToBegin,
): Promise<number> {
  const before = await queries
    .selectFrom("requests")
    .select("request")
    .where("send", "=", send)
    .where("part", "=", part)
    .where("process", "=", process)
    .where("isOpen", "=", 1)
    .execute();
  for (const earlier of before) await endUnknown(queries, earlier.request, now);
  const what = { setId, stream, send, part, attempt, process };
  const { request } = await queries
    .insertInto("requests")
    .values({ ...what, deadlineMs, restMs, lastsMs: 0, ...momentColumns(now) })
    .returning("request")
    .executeTakeFirstOrThrow();
  return request;
}

/** Forgets a request of which nothing can be applied any more. */
export async function forgetRequest(queries: Queries, request: number): Promise<void> {
  await queries.deleteFrom("requests").where("request", "=", request).execute();
}

/** Notes that a request ended and nobody knows whether it was, or will be, applied. */
export async function endUnknown(queries: Queries, request: number, now: Moment): Promise<void> {
  const { bootId, since, sinceWall } = momentColumns(now);
  // If it began in another boot, only the wall clock shows how long it took; if that was set back, nothing does.
  const took = sql<number>`case when boot_id is not distinct from ${bootId} then ${since} - since
    else ${sinceWall} - since_wall end`;
  await queries
    .updateTable("requests")
    .set({
      isOpen: 0,
      lastsMs: sql<number>`rest_ms + ${greatest(queries, sql`deadline_ms`, took)}`,
    })
    .where("request", "=", request)
    .where("isOpen", "=", 1)
    .execute();
}

/** Notes that the service accepted a request just now; returns false if the request is already forgotten. */
export async function endTaken(queries: Queries, request: number, now: Moment): Promise<boolean> {
  const form = sql`(select form from ${sql.table("receipts")} r join ${sql.table("stagings")} s
    on r.run_id = s.run_id and r.chunk = s.chunk and r.stage = s.stage
    where s.send = ${sql.ref("requests.send")} and r.part = ${sql.ref("requests.part")})`;
  const { numUpdatedRows } = await queries
    .updateTable("requests")
    .set({
      isOpen: 0,
      ...momentColumns(now),
      lastsMs: sql<number>`case when ${form} = 'file' then rest_ms else 0 end`,
    })
    .where("request", "=", request)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

async function requestsWhere(
  queries: Queries,
  condition: RawBuilder<unknown>,
): Promise<PendingRequest[]> {
  const { rows } = await sql`
    select q.request, q.set_id, q.stream, q.send, q.part, ranges, is_open, boot_id, since, since_wall, lasts_ms,
      s.run_id, kind, s.state as send_state, case when attempts > attempt then 1 else 0 end as is_old, is_made
    from ${sql.table("requests")} q join ${sql.table("stagings")} s on s.send = q.send
      join ${sql.table("runs")} u on u.run_id = s.run_id
      join ${sql.table("receipts")} r
        on r.run_id = s.run_id and r.chunk = s.chunk and r.stage = s.stage and r.part = q.part
    where ${condition} order by q.request`.execute(queries);
  return rows.map((row) => pendingRow.parse(row));
}

/** The requests of a set, in the order in which they began. */
export async function requestsOfSet(queries: Queries, setId: number): Promise<PendingRequest[]> {
  return await requestsWhere(queries, sql`q.set_id = ${setId}`);
}

/**
 * The requests of a set, and those to the same target that runs of other syncs left on their way when they ended: the
 * sync may have had another name. Nothing orders two syncs that send at the same time.
 */
export async function concerningRequests(
  queries: Queries,
  setId: number,
): Promise<PendingRequest[]> {
  const sets = sql.table("fingerprintSets");
  return await requestsWhere(
    queries,
    sql`q.set_id = ${setId} or (ended_at is not null and q.set_id in (
      select other.id from ${sets} own join ${sets} other on other.target = own.target where own.id = ${setId}))`,
  );
}
