import { type RawBuilder, sql } from "kysely";

import type { Remote } from "../../../thread.ts";
import {
  type RejectedKey,
  rejectedKeyRow,
  reasonRow,
  type RejectReason,
  rejectRow,
  type RejectStore,
  type RejectsWhere,
  type StoredReject,
} from "../../contract/rejects/rejects.ts";
import { reads, writes } from "../methods.ts";
import { superseded } from "../sends/named.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import { insertRejects } from "./insert-rejects.ts";

/** The columns of a reject `r`, as its schema names them in camel case. */
function rejectColumns(): RawBuilder<unknown> {
  const givenUp = sql`select 1 from ${sql.table("stagings")} g where g.run_id = r.run_id and g.chunk = r.chunk
    and g.stage = r.stage and g.state in ('cut', 'dropped')`;
  const ofPull = sql`select 1 from ${sql.table("runs")} p where p.run_id = r.run_id and p.kind = 'pull'`;
  return sql`r.run_id, r.chunk, r.ordinal, r.stream, r.place, r.key, r.step, r.code, r.field, r.reason,
    r.source_row as row, r.created_at, r.replayed_by, r.superseded,
    case when r.is_open = 1 and not exists (${givenUp}) and not exists (${ofPull}) then 1 else 0 end as is_open`;
}

async function addRejects(
  queries: Queries,
  input: Parameters<RejectStore["addRejects"]>[0],
): Promise<void> {
  const { runId, chunk, stage } = input;
  const staging = await queries
    .selectFrom("stagings")
    .select("state")
    .where("runId", "=", runId)
    .where("chunk", "=", chunk)
    .where("stage", "=", stage)
    .executeTakeFirst();
  if (staging?.state !== "staging") throw superseded(input);
  await insertRejects(queries, input);
}

async function rejects(
  queries: Queries,
  { runId, after = { chunk: 0, ordinal: 0 }, limit }: Parameters<RejectStore["rejects"]>[0],
): Promise<StoredReject[]> {
  const { rows } = await sql`
    select ${rejectColumns()} from ${sql.table("rejects")} r
    where r.run_id = ${runId} and (r.chunk, r.ordinal) > (${after.chunk}, ${after.ordinal})
    order by r.chunk, r.ordinal limit ${limit}`.execute(queries);
  return rows.map((row) => rejectRow.parse(row));
}

async function rejectsOfKey(
  queries: Queries,
  { target, sync, key, limit }: Parameters<RejectStore["rejectsOfKey"]>[0],
): Promise<StoredReject[]> {
  const { rows } = await sql`
    select ${rejectColumns()} from ${sql.table("rejects")} r
      join ${sql.table("runs")} u on u.run_id = r.run_id
    where r.key = ${key} and u.target = ${target} and u.sync = ${sync}
    order by u.rowid desc, r.chunk desc, r.ordinal desc limit ${limit}`.execute(queries);
  return rows.map((row) => rejectRow.parse(row));
}

/** A condition that applies only if its value is given. */
function isGiven(value: string | undefined, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return value === undefined ? sql`` : sql`and ${condition}`;
}

/** The runs that have a reject of a code: each is found by one step through an index, however many rejects it has. */
function runsOfCode(code: string | undefined): RawBuilder<unknown> {
  const next = sql`select min(run_id) from ${sql.table("rejects")} where code = ${code}`;
  return sql`(with recursive holding (run_id) as (
    ${next} union all
    select (${next} and run_id > holding.run_id) from holding where holding.run_id is not null)
    select run_id from holding where run_id is not null)`;
}

/** Only open rejects: rows of an uncommitted chunk come again, and rejects of a pull are never replayed. */
function openAlone(): RawBuilder<unknown> {
  const staging = sql`(select 1 from ${sql.table("stagings")} s where s.run_id = u.run_id and s.open_rejects > 0`;
  return sql`and r.is_open = 1 and u.kind <> 'pull' and exists ${staging}) and exists ${staging}
    and s.chunk = r.chunk and s.stage = r.stage and s.state = 'committed')`;
}

async function rejectsWhere(
  queries: Queries,
  { target, sync, run, code, key, isOpen, since, until, after, limit }: RejectsWhere,
): Promise<StoredReject[]> {
  // A cross join: SQLite then goes through the runs, and ends at the limit; otherwise it sorts all rejects of a code.
  // By run first: rejects that were shown are skipped by the number of their run alone, except in the last run shown.
  const shown = sql`(select rowid from ${sql.table("runs")} where run_id = ${after?.run})`;
  const isAfter = sql`u.rowid <= ${shown} and (u.rowid < ${shown}
    or (r.chunk, r.ordinal) > (${after?.chunk}, ${after?.ordinal}))`;
  const { rows } = await sql`
    select ${rejectColumns()} from ${sql.table("runs")} u cross join ${sql.table("rejects")} r
    where r.run_id = u.run_id and u.target = ${target} ${isGiven(sync, sql`u.sync = ${sync}`)}
      ${isGiven(run, sql`u.run_id = ${run}`)} ${isGiven(key, sql`r.key = ${key}`)}
      ${isGiven(code, sql`u.run_id in ${runsOfCode(code)}`)} ${isGiven(code, sql`r.code = ${code}`)}
      ${isOpen === true ? openAlone() : sql``} ${isGiven(since, sql`r.created_at >= ${since}`)}
      ${isGiven(until, sql`u.started_at < ${until} and r.created_at < ${until}`)}
      ${isGiven(since, sql`(u.ended_at is null or u.ended_at >= ${since})`)}
      ${isGiven(after?.run, isAfter)}
    order by u.rowid desc, r.chunk, r.ordinal limit ${limit}`.execute(queries);
  return rows.map((row) => rejectRow.parse(row));
}

async function rejectedKeys(
  queries: Queries,
  {
    runId,
    chunk,
    after = { chunk: 0, ordinal: 0 },
    limit,
  }: Parameters<RejectStore["rejectedKeys"]>[0],
): Promise<RejectedKey[]> {
  const { rows } = await sql`
    select r.chunk, r.ordinal, r.key, r.place from ${sql.table("rejects")} r
    join ${sql.table("stagings")} s on (s.run_id, s.chunk, s.stage) = (r.run_id, r.chunk, r.stage)
    where r.run_id = ${runId} and (r.chunk, r.ordinal) > (${after.chunk}, ${after.ordinal})
      and r.chunk < ${chunk} and r.key is not null and r.step <> 'duplicate'
      and s.state in ('staged', 'committed')
    order by r.chunk, r.ordinal limit ${limit}`.execute(queries);
  return rows.map((row) => rejectedKeyRow.parse(row));
}

async function rejectReasons(
  queries: Queries,
  { runId, limit }: Parameters<RejectStore["rejectReasons"]>[0],
): Promise<RejectReason[]> {
  const { rows } = await sql`
    with counted as (
      select code, count(*) as count, min(chunk * 1000000000 + ordinal) as first
      from ${sql.table("rejects")} where run_id = ${runId} group by code
    )
    select r.code, c.count, r.chunk, r.ordinal, r.place, r.field
    from counted c join ${sql.table("rejects")} r
      on r.run_id = ${runId} and r.chunk = c.first / 1000000000 and r.ordinal = c.first % 1000000000
    order by c.count desc, r.code limit ${limit}`.execute(queries);
  return rows.map((row) => reasonRow.parse(row));
}

/** The rejects of a store. */
export function createRejectStore(db: StateDatabase): Remote<RejectStore> {
  return {
    addRejects: writes(db, async (queries, input: Parameters<RejectStore["addRejects"]>[0]) => {
      const { nowMs } = await db.now(queries, { nowMs: Date.parse(input.at) });
      await addRejects(queries, { ...input, at: new Date(nowMs).toISOString() });
    }),
    rejects: reads(db, rejects),
    rejectsOfKey: reads(db, rejectsOfKey),
    rejectsWhere: reads(db, rejectsWhere),
    rejectedKeys: reads(db, rejectedKeys),
    rejectReasons: reads(db, rejectReasons),
  };
}
