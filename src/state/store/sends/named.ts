import { type Expression, sql, type SqlBool } from "kysely";

import type { PartName } from "../../contract/sends/receipts.ts";
import type { StageName } from "../../contract/sends/stagings.ts";

/** Whether a row belongs to a staging, for a statement with one table. */
export function isOfStage({ runId, chunk, stage }: StageName): Expression<SqlBool> {
  return sql`(run_id = ${runId} and chunk = ${chunk} and stage = ${stage})`;
}

/** The same for a part. */
export function isPart({ runId, chunk, stage, part }: PartName): Expression<SqlBool> {
  return sql`(run_id = ${runId} and chunk = ${chunk} and stage = ${stage} and part = ${part})`;
}
