import { type RawBuilder, sql } from "kysely";

import { ageInSql } from "../keys/age-in-sql.ts";

/**
 * The age of a reject `r` of a staging `s`, with `replayedAs`: the later of two rows of a sync has the greater age. A
 * row that a replay refused again keeps its age, and a duplicate is older than any row.
 */
export function ageOfReject(): RawBuilder<number> {
  return sql`coalesce(p.age, ${ageWhereRead()})`;
}

/** The same for a run that is not a replay, without `replayedAs`. */
export function ageWhereRead(): RawBuilder<number> {
  return sql`case when r.step = 'duplicate' then 0 else ${ageInSql(sql`s.send`, sql`r.row_number`)} end`;
}

/** Joins to a reject `r` of a replay the entry `p` of the replay's list. */
export function replayedAs(): RawBuilder<unknown> {
  return sql`left join ${sql.table("replays")} p on p.run_id = r.run_id and p.number = (
    select min(number) from ${sql.table("replays")} where run_id = r.run_id and place = r.place)`;
}
