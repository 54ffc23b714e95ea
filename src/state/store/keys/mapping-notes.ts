import { sql } from "kysely";

import type { Queries } from "../state-database.ts";

/** Notes the mapping of a staging that was accepted; to be called inside a transaction. */
export async function noteMapping(
  queries: Queries,
  { setId, send }: { readonly setId: number; readonly send: number },
): Promise<void> {
  await sql`
    insert into ${sql.table("mappings")} (set_id, mapping)
    select f.id, s.mapping from ${sql.table("fingerprintSets")} f, ${sql.table("stagings")} s
    where f.id = ${setId} and s.send = ${send} and s.mapping is not null and s.records > 0
    on conflict (set_id, mapping) do nothing`.execute(queries);
}
