import { PostgresAdapter, type RawBuilder, sql, type SqlBool } from "kysely";

import type { Queries } from "./state-database.ts";

// SQL that the two databases write differently in otherwise equal statements.

/** Whether the database is Postgres. */
export function isPostgres(queries: Queries): boolean {
  return queries.getExecutor().adapter instanceof PostgresAdapter;
}

/** The text of a member of an object in a JSON column; null if it has none. */
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

/** The place of bytes within those of a column, from 1; 0 if they are not there. */
export function placeIn(queries: Queries, column: string, bytes: Uint8Array): RawBuilder<number> {
  const all = sql.ref(column);
  return isPostgres(queries)
    ? sql`position(${bytes}::bytea in ${all})`
    : sql`instr(${all}, ${bytes})`;
}

/** Whether the flag of a row is set, written like the condition of a partial index over the flag. */
export function isSet(queries: Queries, column: string): RawBuilder<SqlBool> {
  const flag = sql.ref(column);
  return isPostgres(queries) ? sql`${flag} = 1` : sql`${flag}`;
}

/**
 * The key of a row, as unique indexes have it. In Postgres they hold 128 bits of hashes of it: an index entry takes at
 * most a third of a page, and a key may be longer.
 */
export function indexedKey(queries: Queries): RawBuilder<unknown> {
  return isPostgres(queries) ? sql`hashtextextended(key, 0), hashtextextended(key, 1)` : sql`key`;
}
