import type { Moment } from "../../clock.ts";
import type { Remote } from "../../thread.ts";
import { jsonColumn } from "../contract/json-column.ts";
import {
  limitRow,
  type LimitRow,
  type PermitAnswer,
  type PermitRequest,
  type RateLimit,
  type RateLimitStore,
} from "../contract/rate-limit.ts";
import { afterEvent, onClockOf, rateLimitOf, written } from "../rules/breaker.ts";
import { decidePermit } from "../rules/next-permit.ts";
import { isPostgres } from "./dialect.ts";
import { reads, writes } from "./methods.ts";
import type { Queries, StateDatabase } from "./state-database.ts";

const storedRow = limitRow.extend({
  reservations: jsonColumn.pipe(limitRow.shape.reservations),
});

function columnsOf(row: LimitRow): Omit<LimitRow, "reservations"> & { reservations: string } {
  return { ...row, reservations: JSON.stringify(row.reservations) };
}

async function save(queries: Queries, row: LimitRow, now: Moment): Promise<LimitRow> {
  const columns = columnsOf(written(row, now));
  await queries
    .insertInto("rateLimits")
    .values(columns)
    .onConflict((conflict) => conflict.column("name").doUpdateSet(columns))
    .execute();
  return row;
}

/** The row of a limit, which nobody else changes until the transaction ends. */
async function lock(queries: Queries, name: string): Promise<LimitRow | undefined> {
  const asked = queries.selectFrom("rateLimits").selectAll().where("name", "=", name);
  // SQLite has one writer.
  const locked = isPostgres(queries) ? asked.forUpdate() : asked;
  const found = await locked.executeTakeFirst();
  return found === undefined ? undefined : storedRow.parse(found);
}

/** As `lock`, for a limit that will change: a missing row cannot be locked, so it is made. */
async function lockOwn(queries: Queries, name: string): Promise<LimitRow> {
  const found = await lock(queries, name);
  if (found !== undefined) return found;
  await queries
    .insertInto("rateLimits")
    .values(columnsOf(limitRow.parse({ name })))
    .onConflict((conflict) => conflict.column("name").doNothing())
    .execute();
  return (await lock(queries, name)) ?? limitRow.parse({ name });
}

/** A row on the clock that decides; saved at once if it was on another, so that a wait starts again only once. */
async function onClock(queries: Queries, before: LimitRow, now: Moment): Promise<LimitRow> {
  const row = onClockOf(before, now);
  return row === before ? row : await save(queries, row, now);
}

/** Converts an answer to the caller's wall clock. */
function toldBy(callers: Moment, now: Moment): (limit: RateLimit) => RateLimit {
  return ({ blockedUntil, ...limit }) => ({
    ...limit,
    blockedUntil: blockedUntil === null ? null : blockedUntil - now.nowMs + callers.nowMs,
  });
}

async function acquirePermit(
  db: StateDatabase,
  queries: Queries,
  request: PermitRequest,
): Promise<PermitAnswer> {
  const [limit, ...names] = request.limits;
  const locked = await lockOwn(queries, limit);
  const lockedOthers: LimitRow[] = [];
  for (const name of names) {
    lockedOthers.push((await lock(queries, name)) ?? limitRow.parse({ name }));
  }
  const { nowMs, boot } = await db.now(queries, request);
  const now = { nowMs, boot };
  const own = await onClock(queries, locked, now);
  const others: LimitRow[] = [];
  for (const other of lockedOthers) others.push(await onClock(queries, other, now));
  const { answer, row } = decidePermit([own, ...others], { ...request, ...now });
  if (row !== undefined) await save(queries, row, now);
  const told = toldBy(request, now);
  if ("blocked" in answer) return { blocked: told(answer.blocked) };
  return "failing" in answer ? { ...answer, failing: told(answer.failing) } : answer;
}

async function noteLimit(
  db: StateDatabase,
  queries: Queries,
  { limit, event, ...callers }: Parameters<RateLimitStore["noteLimit"]>[0],
): Promise<LimitRow> {
  const locked = await lockOwn(queries, limit);
  const now = await db.now(queries, callers);
  return await save(queries, afterEvent(onClockOf(locked, now), event, now), now);
}

async function rateLimits(
  db: StateDatabase,
  queries: Queries,
  callers: Moment,
): Promise<RateLimit[]> {
  const found = await queries.selectFrom("rateLimits").selectAll().orderBy("name").execute();
  const now = await db.now(queries, callers);
  const limits = found.map((row) => rateLimitOf(onClockOf(storedRow.parse(row), now), now));
  return limits.map(toldBy(callers, now));
}

/** The rate limits of a store. */
export function createRateLimitStore(db: StateDatabase): Remote<RateLimitStore> {
  return {
    acquirePermit: writes(db, async (...asked) => await acquirePermit(db, ...asked)),
    noteLimit: writes(db, async (...noted) => await noteLimit(db, ...noted)),
    rateLimits: reads(db, async (...asked) => await rateLimits(db, ...asked)),
  };
}
