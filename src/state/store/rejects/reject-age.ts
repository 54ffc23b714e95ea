import { type RawBuilder, sql } from "kysely";

import { ageInSql } from "../keys/age-in-sql.ts";

/**
 * The age of a reject `r` of a staging `s`, with `replayedAs`: of two rows of a sync the later one has the greater
 * age. What a replay refused again is as old as it was, and a duplicate older than any row.
 */
export function ageOfReject(): RawBuilder<number> {
  return sql`coalesce(p.age, ${ageWhereRead()})`;
}

/** The same of a run that is no replay, without `replayedAs`. */
export function ageWhereRead(): RawBuilder<number> {
  return sql`case when r.step = 'duplicate' then 0 else ${ageInSql(sql`s.send`, sql`r.row_number`)} end`;
}

/** Joins to a reject `r` the replay `p` that it is one of. */
export function replayedAs(): RawBuilder<unknown> {
  return sql`left join ${sql.table("replays")} p on p.run_id = r.run_id and p.number = (
    select min(number) from ${sql.table("replays")} where run_id = r.run_id and place = r.place)`;
}
