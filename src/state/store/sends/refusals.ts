import { sql } from "kysely";

import type { Remote } from "../../../thread.ts";
import { type Refusal, refusalRow, type RefusalStore } from "../../contract/sends/refusals.ts";
import type { Staging } from "../../contract/sends/stagings.ts";
import { indexedKey } from "../dialect.ts";
import { haveSetOfRun, setIdOf, setIdOfRun } from "../keys/fingerprint-sets.ts";
import { reads, writes } from "../methods.ts";
import type { RejectsOfStage } from "../rejects/insert-rejects.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import type { SentKeys } from "./sent-keys.ts";

/** Notes the records of a staging that the service refused; to be called inside a transaction. */
export async function noteRefusals(
  queries: Queries,
  { runId, rejects, at }: RejectsOfStage,
): Promise<void> {
  const setId = await haveSetOfRun(queries, runId);
  for (const { key, hash, code, field = null } of rejects) {
    if (key === undefined || hash === undefined) continue;
    const said = { code, field, notedAt: at };
    await queries
      .insertInto("refusals")
      .values({ setId, key, hash, ...said })
      .onConflict((conflict) =>
        conflict.expression(sql`set_id, ${indexedKey(queries)}, hash`).doUpdateSet(said),
      )
      .execute();
  }
}

/** Forgets the refusals of keys that a staging sent or rejected; to be called inside a transaction. */
export async function forgetRefusalsOf(
  queries: Queries,
  sentKeys: SentKeys,
  { send, runId, chunk, stage }: Staging,
): Promise<void> {
  const setId = await setIdOfRun(queries, runId);
  const known = await queries
    .selectFrom("refusals")
    .select("key")
    .where("setId", "=", setId)
    .execute();
  if (known.length === 0) return;
  const sent = new Set(await sentKeys.all(queries, send));
  for (const key of new Set(known.map((refusal) => refusal.key))) {
    if (!sent.has(key)) continue;
    await queries
      .deleteFrom("refusals")
      .where("setId", "=", setId)
      .where("key", "=", key)
      .execute();
  }
  await sql`
    delete from ${sql.table("refusals")} where set_id = ${setId} and key in (
      select key from ${sql.table("rejects")} r
      where run_id = ${runId} and chunk = ${chunk} and stage = ${stage} and step = 'send')`.execute(
    queries,
  );
}

async function refusals(
  queries: Queries,
  { target, sync, since }: Parameters<RefusalStore["refusals"]>[0],
): Promise<Refusal[]> {
  const found = await queries
    .selectFrom("refusals")
    .select(["key", "hash", "code", "field"])
    .where("setId", "=", await setIdOf(queries, { target, sync }))
    .where("notedAt", ">", since)
    .execute();
  return found.map((row) => refusalRow.parse(row));
}

/** The refusals of a store. */
export function createRefusalStore(db: StateDatabase): Remote<RefusalStore> {
  return {
    refusals: reads(db, refusals),
    forgetRefusals: writes(
      db,
      async (queries, name: Parameters<RefusalStore["forgetRefusals"]>[0]): Promise<void> => {
        const setId = await setIdOf(queries, name);
        await queries.deleteFrom("refusals").where("setId", "=", setId).execute();
      },
    ),
  };
}
