import { type RawBuilder, sql } from "kysely";
import { z } from "zod";

import { rowNumbersMax } from "../../contract/keys/fingerprints.ts";
import { ageInSql } from "../../store/keys/age-in-sql.ts";
import type { Queries } from "../../store/state-database.ts";
import { integerArray } from "./binary-arrays.ts";

/** The number of ids whose ages are in one row. */
const idsPerBlock = 8_192;

/** The block of an id, in SQL. */
const blockOf = (id: RawBuilder<number>): RawBuilder<number> =>
  sql`(${id} / ${sql.lit(idsPerBlock)})`;

/** The staging that an age names, in SQL. */
export const sendOfAge = (age: RawBuilder<number>): RawBuilder<number> =>
  sql`(${age} / ${sql.lit(rowNumbersMax)})`;

/** What accepted stagings saw of a set, as a relation of `id` and `age`; of sightings for which `isWanted` holds. */
function accepted(setId: number, isWanted: RawBuilder<boolean> = sql`true`): RawBuilder<unknown> {
  const age = ageInSql(sql`s.send`, sql`(seen.row_number + n)`);
  return sql`(select seen.id + n as id, ${age} as age
    from ${sql.table("sightings")} s join ${sql.table("stagings")} t on t.send = s.send
      cross join lateral unnest(s.ids, s.row_numbers, s.lengths) as seen (id, row_number, length)
      cross join lateral generate_series(0, coalesce(seen.length, 1) - 1) as n
    where s.set_id = ${setId} and t.state in ('committed', 'cut') and ${isWanted})`;
}

/** The folded ages of a set, as a relation of `id` and `age`; of blocks for which `isWanted` holds. */
function folded(setId: number, isWanted: RawBuilder<boolean> = sql`true`): RawBuilder<unknown> {
  return sql`(select known.id, known.age from ${sql.table("sightedBlocks")} b
      cross join lateral unnest(b.ids, b.ages) as known (id, age)
    where b.set_id = ${setId} and ${isWanted})`;
}

/**
 * The newest age at which an accepted staging saw each id of a set, as a relation of `id` and `age`, for `from` and
 * `join`; an id that is in none of them has the age 0. Reading it takes about a second for a million seen rows.
 */
export function newestSighted(setId: number): RawBuilder<unknown> {
  return sql`(select id, max(age) as age from (
    select id, age from ${accepted(setId)} seen union all select id, age from ${folded(setId)} known) every
    group by id)`;
}

const ageRow = z.object({ id: z.int(), age: z.number() });

/** The newest ages of some ids of a set. An id that no accepted staging saw is absent, and counts as 0. */
export async function newestAges(
  queries: Queries,
  setId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (ids.length === 0) return new Map();
  const list = sql`${integerArray(ids)}::integer[]`;
  const blocks = sql<boolean>`b.block in (select ${blockOf(sql`id`)} from unnest(${list}) as id)`;
  const { rows } = await sql`
    select id, max(age) as age from (
      select id, age from ${accepted(setId)} seen union all select id, age from ${folded(setId, blocks)} known) every
    where id = any(${list}) group by id`.execute(queries);
  return new Map(
    z
      .array(ageRow)
      .parse(rows)
      .map(({ id, age }) => [id, age]),
  );
}

/** Folds sightings of a set for which `isOld` holds into the blocks of ages; the newest age of an id stays. */
export async function foldAges(
  queries: Queries,
  setId: number,
  isOld: RawBuilder<boolean>,
): Promise<void> {
  const blocks = sql<boolean>`b.block in (select ${blockOf(sql`id`)} from seen)`;
  await sql`
    with seen as materialized (select id, max(age) as age from ${accepted(setId, isOld)} old group by id),
    newest as (
      select id, max(age) as age from (
        select id, age from seen union all select id, age from ${folded(setId, blocks)} known) every
      group by id)
    insert into ${sql.table("sightedBlocks")} (set_id, block, ids, ages)
    select cast(${setId} as integer), ${blockOf(sql`id`)}, array_agg(id), array_agg(age) from newest group by 2
    on conflict (set_id, block) do update set ids = excluded.ids, ages = excluded.ages`.execute(
    queries,
  );
}
