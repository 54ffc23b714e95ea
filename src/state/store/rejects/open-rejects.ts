import { sql } from "kysely";

import type { Remote } from "../../../thread.ts";
import {
  openCountRow,
  type OpenRejectCount,
  openRejectsRow,
  type OpenRejectStore,
  type RunWithOpenRejects,
} from "../../contract/rejects/open-rejects.ts";
import { reads } from "../methods.ts";
import type { Queries, StateDatabase } from "../state-database.ts";

async function runsWithOpenRejects(
  queries: Queries,
  { target, sync, code, limit }: Parameters<OpenRejectStore["runsWithOpenRejects"]>[0],
): Promise<RunWithOpenRejects[]> {
  const ofCode = sql`(select run_id, chunk, stage, count(*) as open from ${sql.table("rejects")}
    where code = ${code} and is_open = 1 group by run_id, chunk, stage)`;
  const open = code === undefined ? sql`s.open_rejects` : sql`r.open`;
  const { rows } = await sql`
    select u.run_id, u.sync, u.kind, o.open from (
      select run_id, sum(${open}) as open from ${sql.table("stagings")} s
      ${code === undefined ? sql`` : sql`join ${ofCode} r using (run_id, chunk, stage)`}
      where s.open_rejects > 0 and s.state = 'committed' group by run_id) o
    join ${sql.table("runs")} u on u.run_id = o.run_id
    where u.target = ${target} and u.kind <> 'pull' ${sync === undefined ? sql`` : sql`and u.sync = ${sync}`}
    order by case when u.kind = 'replay' then 1 else 0 end, u.rowid desc
    ${limit === undefined ? sql`` : sql`limit ${limit}`}`.execute(queries);
  return rows.map((row) => openRejectsRow.parse(row));
}

async function openRejectCounts(
  queries: Queries,
  { target }: Parameters<OpenRejectStore["openRejectCounts"]>[0],
): Promise<OpenRejectCount[]> {
  const { rows } = await sql`
    select u.sync, sum(s.open_rejects) as open from ${sql.table("stagings")} s
    join ${sql.table("runs")} u on u.run_id = s.run_id
    where s.open_rejects > 0 and s.state = 'committed' and u.target = ${target} and u.kind <> 'pull'
    group by u.sync`.execute(queries);
  return rows.map((row) => openCountRow.parse(row));
}

/** The open rejects of a store. */
export function createOpenRejectStore(db: StateDatabase): Remote<OpenRejectStore> {
  return {
    runsWithOpenRejects: reads(db, runsWithOpenRejects),
    openRejectCounts: reads(db, openRejectCounts),
  };
}
