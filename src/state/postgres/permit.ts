import { sql } from "kysely";

import { sqlStateOf } from "../../postgres/errors.ts";
import type { Remote } from "../../thread.ts";
import type { PermitAnswer, PermitRequest, RateLimitStore } from "../contract/rate-limit.ts";
import { failuresMax, lockWaitMs } from "../limits.ts";
import { movedToName } from "../moved.ts";
import { createRateLimitStore } from "../store/rate-limit.ts";
import type { StateDatabase } from "../store/state-database.ts";
import type { PostgresDatabase } from "./database.ts";
import { storeSteps } from "./schema.ts";
import { versionName } from "./version.ts";

/**
 * Rate limits in Postgres. Each decision is about locked rows, so that READ COMMITTED is enough, and concurrent
 * requests wait for each other instead of retrying.
 */
export function createPermits(database: PostgresDatabase): Remote<RateLimitStore> {
  const locking: StateDatabase = {
    ...database.state,
    write: async (work) => await database.lockAndWrite(work),
  };
  const decided = createRateLimitStore(locking);
  return {
    ...decided,
    acquirePermit: async (request) =>
      (await takePermit(database, request)) ?? (await decided.acquirePermit(request)),
  };
}

/**
 * Commits its statement without waiting for the disk or a standby; otherwise everyone who wants the row would wait for
 * that, one after the other: with 5 ms to flush, ten workers got their permits after 60 ms, and after 10 ms without
 * (p50). A server that crashes forgets some permits of its last moments, and no other commit; coming back takes it
 * longer than those moments.
 */
const unflushed = sql`set_config('synchronous_commit', 'off', true)`;

/**
 * The SQLSTATE of a statement that waited for a row, if the database shows each statement the rows as they were when it
 * began (`default_transaction_isolation`).
 */
const rowChanged = "40001";

/**
 * Takes the next permit in one statement, if nobody waits and nothing is wrong with the limits; undefined leaves it to
 * `decidePermit`, which would give the same answer. A statement that waited for the row reads the row and the clock
 * again, so that no two take one permit.
 */
async function takePermit(
  { state, momentOf }: Pick<PostgresDatabase, "momentOf" | "state">,
  { limits: [limit, ...others], perSecond, waitMaxMs, held, ...callers }: PermitRequest,
): Promise<PermitAnswer | undefined> {
  if (held !== undefined) return undefined;
  const { bootId, steady, wall } = momentOf(callers);
  const spacing = 1_000 / perSecond;
  const limits = sql.table("rateLimits");
  const taking = sql<{ readonly wait: number; readonly troubled: boolean }>`
    update ${limits} r set
      next_permit = greatest(next_permit, ${steady}) + ${spacing}::float8,
      written_at = greatest(written_at, ${steady}),
      written_at_wall = case when written_at > ${steady} then written_at_wall else ${wall} end
    where name = ${limit} and boot_id is not distinct from ${bootId} and reservations = '[]'
      and failures < ${failuresMax} and blocked_until <= ${steady} and next_permit <= ${steady} + ${waitMaxMs}::float8
      and written_at <= ${steady} + ${lockWaitMs}::float8
      and not exists (
        select from ${limits} o where o.name = any(${others}::text[])
          and (o.boot_id is distinct from ${bootId} or o.blocked_until > ${steady}))
      and exists (
        select from ${sql.table("meta")} m where m.name = ${versionName} and m.value = ${String(storeSteps.length)})
      and not exists (select from ${sql.table("meta")} m where m.name = ${movedToName})
    returning greatest(0, next_permit - ${spacing}::float8 - ${steady}) as wait,
      failures > 0 or throttled > 0 as troubled, ${unflushed}`.execute(state.queries);
  const answer = await taking.catch((error: unknown) => {
    if (sqlStateOf(error) !== rowChanged) throw error;
    return undefined;
  });
  const taken = answer?.rows[0];
  if (taken === undefined) return undefined;
  return { granted: true, waitMs: taken.wait, isProbe: false, isTroubled: taken.troubled };
}
