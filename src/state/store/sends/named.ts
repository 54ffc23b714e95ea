import { type Expression, sql, type SqlBool } from "kysely";

import { SupersededError } from "../../../errors.ts";
import { chunkName } from "../../../lane-of.ts";
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

/** The error for a write from a staging that is not the newest of its chunk. */
export function superseded({ runId, chunk, stage }: StageName): SupersededError {
  return new SupersededError(
    `run ${runId}, ${chunkName(chunk)}: stage ${stage} is not the newest any more`,
  );
}
