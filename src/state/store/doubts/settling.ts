import { sql } from "kysely";
import { z } from "zod";

import type { Moment } from "../../../clock.ts";
import { jsonColumn } from "../../contract/json-column.ts";
import type { RunKind } from "../../contract/runs/runs.ts";
import { ranges } from "../../ranges.ts";
import { indexedKey } from "../dialect.ts";
import { forgottenKey, type SentKeys } from "../sends/sent-keys.ts";
import type { Queries } from "../state-database.ts";
import { elapsedMs, isOver, momentColumns, type PendingRequest } from "./request-window.ts";
import { concerningRequests, forgetRequest, requestsOfSet } from "./requests.ts";

// Settles requests of unknown outcome. Every function is called inside a transaction.

/** Kinds of run that send everything that the source holds since the checkpoint. */
export const wholeKinds: readonly RunKind[] = ["sync", "inbox"];

/**
 * Whether an abandoned run left it, of a kind that sends all that its source holds: a later run makes its records
 * again.
 */
function isGivenUp({ sendState, kind }: PendingRequest): boolean {
  return sendState === "dropped" && wholeKinds.some((whole) => whole === kind);
}

/** Restarts the time of a request whose clock was set back: nobody knows how much time went by. */
async function restartLost(queries: Queries, request: PendingRequest, now: Moment): Promise<void> {
  if (elapsedMs(request, now) >= 0) return;
  await queries
    .updateTable("requests")
    .set(momentColumns(now))
    .where("request", "=", request.request)
    .execute();
}

async function isAwaited(queries: Queries, request: number): Promise<boolean> {
  const found = await queries
    .selectFrom("doubts")
    .select("key")
    .where("request", "=", request)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Forgets the requests of a set that are over and that nothing waits for, and the keys that were kept for them. */
export async function forgetOver(queries: Queries, setId: number, now: Moment): Promise<void> {
  for (const request of await concerningRequests(queries, setId)) {
    await restartLost(queries, request, now);
    const isDone = isOver(request, now) && (request.isMade || !isGivenUp(request));
    const { request: number } = request;
    if (isDone && !(await isAwaited(queries, number))) await forgetRequest(queries, number);
  }
  await sql`
    delete from ${sql.table("sentKeys")}
    where not exists (select 1 from ${sql.table("requests")} q where q.set_id = ${setId}) and send in (
      select s.send from ${sql.table("stagings")} s join ${sql.table("runs")} r on r.run_id = s.run_id
        join ${sql.table("fingerprintSets")} f on f.target = r.target and f.sync = r.sync
      where f.id = ${setId} and state in ('committed', 'cut', 'dropped'))`.execute(queries);
}

const stagingRow = z.object({ send: z.int(), state: z.string() });

const rangesRow = z.object({ ranges: jsonColumn.pipe(ranges) });

const keyRow = z.object({ key: z.string() });

/** The keys that a cut chunk made: those that the service accepted, and those that it refused. */
async function keysOfCut(queries: Queries, sentKeys: SentKeys, send: number): Promise<string[]> {
  const { rows: accepted } = await sql`
    select ranges from ${sql.table("receipts")} r join ${sql.table("stagings")} s
      on s.run_id = r.run_id and s.chunk = r.chunk and s.stage = r.stage
    where s.send = ${send} and r.state = 'committed'`.execute(queries);
  const taken = accepted.flatMap((row) => rangesRow.parse(row).ranges);
  const keys = (await sentKeys.of(queries, send, taken)).map(([key]) => key);
  // A row that an earlier step rejected made no record.
  const { rows: refused } = await sql`
    select key from ${sql.table("rejects")} r join ${sql.table("stagings")} s
      on s.run_id = r.run_id and s.chunk = r.chunk and s.stage = r.stage
    where s.send = ${send} and key is not null and step = 'send'`.execute(queries);
  return [...keys, ...refused.map((row) => keyRow.parse(row).key)];
}

/** The keys that later stagings of a set made, as far as they are known. */
async function keysMadeSince(
  queries: Queries,
  sentKeys: SentKeys,
  { setId, since }: { readonly setId: number; readonly since: number },
): Promise<string[]> {
  const { rows } = await sql`
    select k.send, s.state from ${sql.table("sentKeys")} k join ${sql.table("stagings")} s on s.send = k.send
      join ${sql.table("runs")} r on r.run_id = s.run_id
      join ${sql.table("fingerprintSets")} f on f.target = r.target and f.sync = r.sync
    where f.id = ${setId} and k.send > ${since} and s.state in ('committed', 'cut')`.execute(
    queries,
  );
  const keys: string[] = [];
  for (const row of rows) {
    const { send, state } = stagingRow.parse(row);
    const made =
      state === "cut"
        ? await keysOfCut(queries, sentKeys, send)
        : await sentKeys.all(queries, send);
    for (const key of made) keys.push(key);
  }
  return keys;
}

/** Notes the keys that abandoned runs may have sent, and that no later run up to and including `madeBy` has made. */
export async function findStrays(
  queries: Queries,
  sentKeys: SentKeys,
  { setId, madeBy }: { readonly setId: number; readonly madeBy: string },
): Promise<void> {
  const pending = await requestsOfSet(queries, setId);
  const givenUp = pending.filter((request) => isGivenUp(request) && request.runId !== madeBy);
  for (const [runId, ofRun] of Map.groupBy(givenUp, (request) => request.runId)) {
    const keys = new Set<string>();
    for (const send of new Set(ofRun.map((request) => request.send))) {
      await sentKeys.reread(queries, send);
    }
    for (const { request, send, ranges: sent } of ofRun) {
      for (const [key] of await sentKeys.of(queries, send, sent)) keys.add(key);
      await queries
        .updateTable("requests")
        .set({ isMade: 1 })
        .where("request", "=", request)
        .execute();
    }
    const since = Math.min(...ofRun.map(({ send }) => send));
    for (const key of await keysMadeSince(queries, sentKeys, { setId, since })) keys.delete(key);
    keys.delete(forgottenKey);
    await queries
      .deleteFrom("strayKeys")
      .where("setId", "=", setId)
      .where("runId", "=", runId)
      .execute();
    for (const key of keys) {
      await queries
        .insertInto("strayKeys")
        .values({ setId, key, runId })
        .onConflict((conflict) =>
          conflict.expression(sql`set_id, ${indexedKey(queries)}`).doUpdateSet({ runId }),
        )
        .execute();
    }
  }
}
