import { type RawBuilder, sql } from "kysely";

import { rowNumbersMax } from "../../contract/keys/fingerprints.ts";

/** An age in SQL, as `ageOf`; a row without a number is as old as the first of its staging. */
export function ageInSql(
  send: RawBuilder<number>,
  rowNumber: RawBuilder<number>,
): RawBuilder<number> {
  return sql`(${send} * ${sql.lit(rowNumbersMax)} + coalesce(${rowNumber}, 0))`;
}
