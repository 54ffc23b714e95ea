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
import { reads, writes } from "./methods.ts";
import type { Queries, StateDatabase } from "./state-database.ts";

const storedRow = limitRow.extend({
  reservations: jsonColumn.pipe(limitRow.shape.reservations),
});

async function save(queries: Queries, row: LimitRow, now: Moment): Promise<LimitRow> {
  const columns = { ...written(row, now), reservations: JSON.stringify(row.reservations) };
  await queries
    .insertInto("rateLimits")
    .values(columns)
    .onConflict((conflict) => conflict.column("name").doUpdateSet(columns))
    .execute();
  return row;
}

async function load(queries: Queries, name: string, now: Moment): Promise<LimitRow> {
  const found = await queries
    .selectFrom("rateLimits")
    .selectAll()
    .where("name", "=", name)
    .executeTakeFirst();
  const before = found === undefined ? limitRow.parse({ name }) : storedRow.parse(found);
  const row = onClockOf(before, now);
  // Kept at once: a wait that starts again does so once.
  return found === undefined || row === before ? row : await save(queries, row, now);
}

async function acquirePermit(queries: Queries, request: PermitRequest): Promise<PermitAnswer> {
  const [limit, ...names] = request.limits;
  const own = await load(queries, limit, request);
  const others: LimitRow[] = [];
  for (const name of names) others.push(await load(queries, name, request));
  const { answer, row } = decidePermit([own, ...others], request);
  if (row !== undefined) await save(queries, row, request);
  return answer;
}

async function noteLimit(
  queries: Queries,
  { limit, event, ...now }: Parameters<RateLimitStore["noteLimit"]>[0],
): Promise<LimitRow> {
  return await save(queries, afterEvent(await load(queries, limit, now), event, now), now);
}

async function rateLimits(queries: Queries, now: Moment): Promise<RateLimit[]> {
  const found = await queries.selectFrom("rateLimits").selectAll().orderBy("name").execute();
  return found.map((row) => rateLimitOf(onClockOf(storedRow.parse(row), now), now));
}

/** The rate limits of a store. */
export function createRateLimitStore(db: StateDatabase): Remote<RateLimitStore> {
  return {
    acquirePermit: writes(db, acquirePermit),
    noteLimit: writes(db, noteLimit),
    rateLimits: reads(db, rateLimits),
  };
}
