import { PostgresAdapter, type RawBuilder, sql, type SqlBool } from "kysely";

import type { Queries } from "./state-database.ts";

// What the two databases write differently in statements that are otherwise the same.

/** Whether the database is Postgres. */
export function isPostgres(queries: Queries): boolean {
  return queries.getExecutor().adapter instanceof PostgresAdapter;
}

/** The text of a member of an object in a JSON column; null where it has none. */
export function jsonMember(
  queries: Queries,
  column: string,
  member: string,
): RawBuilder<string | null> {
  const json = sql.ref(column);
  return isPostgres(queries) ? sql`${json}::jsonb ->> ${member}` : sql`${json} ->> ${member}`;
}

/** The greater of two numbers. */
export function greatest(
  queries: Queries,
  one: RawBuilder<number>,
  other: RawBuilder<number>,
): RawBuilder<number> {
  return isPostgres(queries) ? sql`greatest(${one}, ${other})` : sql`max(${one}, ${other})`;
}

/** Where bytes begin in those of a column, from 1; 0 where they are not there. */
export function placeIn(queries: Queries, column: string, bytes: Uint8Array): RawBuilder<number> {
  const all = sql.ref(column);
  return isPostgres(queries)
    ? sql`position(${bytes}::bytea in ${all})`
    : sql`instr(${all}, ${bytes})`;
}

/** Whether the flag of a row is set, as a partial index over the flag says it. */
export function isSet(queries: Queries, column: string): RawBuilder<SqlBool> {
  const flag = sql.ref(column);
  return isPostgres(queries) ? sql`${flag} = 1` : sql`${flag}`;
}

/**
 * The key of a row, as unique indexes have it. Postgres holds numbers of 128 bits of it there: an entry of an index is
 * no longer than a third of a page, and a key may be.
 */
export function indexedKey(queries: Queries): RawBuilder<unknown> {
  return isPostgres(queries) ? sql`hashtextextended(key, 0), hashtextextended(key, 1)` : sql`key`;
}
