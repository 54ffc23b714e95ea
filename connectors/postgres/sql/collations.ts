import { quoteName } from "../../../src/postgres/names.ts";
import type { Session } from "../client.ts";

/** Whether a row `c` of `pg_collation` distinguishes all texts, in SQL; before Postgres 12 each does. */
export const isDeterministicSql =
  "coalesce((to_jsonb(c) ->> 'collisdeterministic')::boolean, true)";

/**
 * The collations, as SQL, by which some columns of text are compared; empty where the database has no collation that
 * takes different texts for the same, and where there are no rows.
 */
export async function looseCollations(
  session: Session,
  from: string,
  columns: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const loose = `select 1 from pg_collation c where not ${isDeterministicSql} limit 1`;
  if (columns.length === 0 || (await session.query(loose)).length === 0) return new Map();
  const asked = columns.map((name) => `pg_collation_for(${quoteName(name)})`);
  const [found = []] = await session.rows(`select ${asked.join(", ")} from ${from} limit 1`, []);
  return new Map(columns.flatMap((name, at) => (found[at] ? [[name, found[at]] as const] : [])));
}
