import { type RawBuilder, sql } from "kysely";

import { type Moment, steadyMs } from "../../clock.ts";
import type { Queries } from "../store/state-database.ts";

/**
 * Whose clock decides. The database's is the only one that all hosts share; the caller's is for tests of rules, which
 * set it.
 */
export type ClockSource = "callers" | "database";

/** Not `now()`, which is when the transaction began: after a wait for a lock, that is long ago. */
const databaseMs = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::float8`;

/** A moment as SQL, read while the statement runs. */
export type MomentInSql = {
  /** As in `LimitRow`. */
  readonly bootId: string | null;
  readonly steady: RawBuilder<number>;
  readonly wall: RawBuilder<number>;
};

/** The moment by the clock that decides, as SQL. */
export function momentInSql(source: ClockSource, callers: Moment): MomentInSql {
  if (source === "database") return { bootId: null, steady: databaseMs, wall: databaseMs };
  const { nowMs, boot } = callers;
  return {
    bootId: boot?.id ?? null,
    steady: sql`${steadyMs(callers)}::float8`,
    wall: sql`${nowMs}::float8`,
  };
}

/** The moment by the clock that decides, for `StateDatabase.now`. */
export async function readClock(
  source: ClockSource,
  queries: Queries,
  callers: Moment,
): Promise<Moment> {
  if (source === "callers") return callers;
  const { rows } = await sql<{ ms: number }>`select ${databaseMs} as ms`.execute(queries);
  return { nowMs: Number(rows[0]?.ms) };
}
