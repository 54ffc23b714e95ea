import { PostgresAdapter, type RawBuilder, sql } from "kysely";

import type { Queries } from "./state-database.ts";

// What the two databases write differently in statements that are otherwise the same.

/** Whether the database is Postgres. */
function isPostgres(queries: Queries): boolean {
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
