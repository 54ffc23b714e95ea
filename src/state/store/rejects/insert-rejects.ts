import { sql } from "kysely";

import { refusedAgain } from "../../../records/reject-codes.ts";
import type { RejectEntry } from "../../contract/rejects/rejects.ts";
import type { StageName } from "../../contract/sends/stagings.ts";
import { isOfStage } from "../sends/named.ts";
import type { Queries } from "../state-database.ts";

/** The most rejects in one statement: SQLite takes 32,766 parameters, and a reject has 15. */
const rejectsPerStatement = 1_000;

/** Rejects of a staging, and when they were made. */
export type RejectsOfStage = StageName & {
  readonly rejects: readonly RejectEntry[];
  readonly at: string;
};

/** Codes of rejects that are never open: nothing can be sent for them, or an older reject covers them. */
export const neverOpen: ReadonlySet<string> = new Set(["row_gone", refusedAgain]);

/** Recounts the open rejects of the stagings of a run; to be called inside a transaction that closes or opens some. */
export async function recountOpen(
  queries: Queries,
  runId: string,
  { haveOpened = false } = {},
): Promise<void> {
  const open = sql`from ${sql.table("rejects")} r
    where r.run_id = t.run_id and r.chunk = t.chunk and r.stage = t.stage and r.is_open = 1`;
  // Most stagings have none.
  const isChanged = haveOpened ? sql`exists (select 1 ${open})` : sql`t.open_rejects > 0`;
  await sql`
    update ${sql.table("stagings")} as t set open_rejects = (select count(*) ${open})
    where t.run_id = ${runId} and ${isChanged}`.execute(queries);
}

/** Inserts the rejects of one staging, numbered after the chunk's last one; to be called inside a transaction. */
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
    const isOpen = neverOpen.has(code) ? 0 : 1;
    return { runId, chunk, stage, ordinal: before + index + 1, createdAt, ...told, isOpen };
  });
  for (let from = 0; from < rows.length; from += rejectsPerStatement) {
    await queries
      .insertInto("rejects")
      .values(rows.slice(from, from + rejectsPerStatement))
      .execute();
  }
  const opened = rows.filter(({ isOpen }) => isOpen === 1).length;
  await queries
    .updateTable("stagings")
    .set((eb) => ({ openRejects: eb("openRejects", "+", opened) }))
    .where(isOfStage({ runId, chunk, stage }))
    .execute();
}
