import { type Kysely, sql } from "kysely";

import type { InboxTables } from "./tables.ts";

/** Unix ms of the database's clock, as it is when it is asked and not when the transaction began. */
export const databaseNow = sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** The same as a statement of its own. */
export async function askNow(queries: Kysely<InboxTables>): Promise<number> {
  const { rows } = await sql<{ now: number }>`select ${databaseNow} as now`.execute(queries);
  return rows[0]?.now ?? 0;
}
