import { type Kysely, sql } from "kysely";

import type { InboxTables } from "./tables.ts";

/** Unix ms of the database's clock at the time of evaluation, not at the start of the transaction. */
export const databaseNow = sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Reads the same clock in a statement of its own. */
export async function askNow(queries: Kysely<InboxTables>): Promise<number> {
  const { rows } = await sql<{ now: number }>`select ${databaseNow} as now`.execute(queries);
  return rows[0]?.now ?? 0;
}
