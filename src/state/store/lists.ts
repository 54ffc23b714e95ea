import { type RawBuilder, sql } from "kysely";

import { isPostgres } from "./dialect.ts";
import { withoutNul } from "./nul-texts.ts";
import type { Queries } from "./state-database.ts";

// Lists as subqueries with one parameter each, so that they may be of any length.

/** Texts, in one column, for `in`. */
export function textsOf(queries: Queries, texts: readonly string[]): RawBuilder<string> {
  if (!isPostgres(queries)) return sql`(select value from json_each(${JSON.stringify(texts)}))`;
  return sql`(select jsonb_array_elements_text(${JSON.stringify(texts.map(withoutNul))}::jsonb))`;
}

/** Whole numbers, in one column, for `in`. */
export function integersOf(queries: Queries, numbers: readonly number[]): RawBuilder<number> {
  const json = JSON.stringify(numbers);
  return isPostgres(queries)
    ? sql`(select jsonb_array_elements_text(${json}::jsonb)::bigint)`
    : sql`(select value from json_each(${json}))`;
}

/** Keys and the numbers of their records, in the columns `key` and `record`. */
export function recordsOf(
  queries: Queries,
  records: readonly (readonly [key: string, record: number])[],
): RawBuilder<unknown> {
  if (!isPostgres(queries)) {
    const json = JSON.stringify(records);
    return sql`(select value ->> 0 as key, value ->> 1 as record from json_each(${json}))`;
  }
  const json = JSON.stringify(records.map(([key, record]) => [withoutNul(key), record]));
  return sql`(select one ->> 0 as key, (one ->> 1)::bigint as record from jsonb_array_elements(${json}::jsonb) one)`;
}

/** Ranges of records, in the columns `lower` and `upper`. */
export function rangesOf(
  queries: Queries,
  ranges: readonly (readonly [from: number, to: number])[],
): RawBuilder<unknown> {
  const json = JSON.stringify(ranges);
  return isPostgres(queries)
    ? sql`(select (one ->> 0)::bigint as lower, (one ->> 1)::bigint as upper
        from jsonb_array_elements(${json}::jsonb) one)`
    : sql`(select value ->> 0 as lower, value ->> 1 as upper from json_each(${json}))`;
}
