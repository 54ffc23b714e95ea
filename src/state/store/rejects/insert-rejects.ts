import { sql } from "kysely";

import type { RejectEntry } from "../../contract/rejects/rejects.ts";
import type { StageName } from "../../contract/sends/stagings.ts";
import type { Queries } from "../state-database.ts";

/** Rejects of one statement: SQLite takes 32,766 parameters, and a reject has 14. */
const rejectsPerStatement = 1_000;

/** Rejects of a staging, and when they were made. */
export type RejectsOfStage = StageName & {
  readonly rejects: readonly RejectEntry[];
  readonly at: string;
};

/** Inserts the rejects of one staging, numbered on from the chunk's last; to be called inside a transaction. */
export async function insertRejects(
  queries: Queries,
  { runId, chunk, stage, rejects, at: createdAt }: RejectsOfStage,
): Promise<void> {
  const last = await queries
    .selectFrom("rejects")
    .select((eb) => eb.fn.max("ordinal").as("ordinal"))
    .where("runId", "=", runId)
    .where("chunk", "=", chunk)
    .executeTakeFirst();
  const before = last?.ordinal ?? 0;
  const rows = rejects.map((reject, index) => {
    const { stream, place, step, code, reason } = reject;
    const { key = null, field = null, row = null, rowNumber = null } = reject;
    const told = { stream, place, step, code, reason, key, field, rowNumber, sourceRow: row };
    return { runId, chunk, stage, ordinal: before + index + 1, createdAt, ...told };
  });
  for (let from = 0; from < rows.length; from += rejectsPerStatement) {
    await queries
      .insertInto("rejects")
      .values(rows.slice(from, from + rejectsPerStatement))
      .execute();
  }
}

/**
 * Marks the rejects that a chunk of a replay has taken, from number `from` (excluded) to `to`; to be called inside the
 * transaction that commits it.
 */
export async function markReplayed(
  queries: Queries,
  { runId, from, to }: { readonly runId: string; readonly from: number; readonly to: number },
): Promise<void> {
  await sql`
    update ${sql.table("rejects")} set replayed_by = ${runId}
    where replayed_by is null and (run_id, chunk, ordinal) in (
      select reject_run, chunk, ordinal from ${sql.table("replays")} p
      where run_id = ${runId} and number > ${from} and number <= ${to})`.execute(queries);
}
