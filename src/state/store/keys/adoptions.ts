import { sql } from "kysely";

import type { Remote } from "../../../thread.ts";
import {
  adoptionRow,
  type AdoptionStore,
  keptMapping,
  type KeptMapping,
  type RecordsToAdopt,
} from "../../contract/keys/adoptions.ts";
import type { SyncName } from "../../contract/runs/checkpoints.ts";
import { reads, writes } from "../methods.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import { assertNoOpenRun } from "./open-run.ts";

/** The most mappings and adoptions that are listed. */
const toldMax = 20;

async function keptMappings(queries: Queries, { target, sync }: SyncName): Promise<KeptMapping[]> {
  const found = await queries
    .selectFrom("keptMappings")
    .select(["mapping", "written", "deployed"])
    .where("target", "=", target)
    .where("sync", "=", sync)
    .orderBy("deployed", "desc")
    .limit(toldMax)
    .execute();
  return found.map((row) => keptMapping.parse(row));
}

/** Keeps a mapping; to be called inside a transaction. */
async function keepMapping(
  queries: Queries,
  { target, sync, mapping, written }: SyncName & Pick<KeptMapping, "mapping" | "written">,
): Promise<void> {
  await queries
    .insertInto("keptMappings")
    .values({ target, sync, mapping, written })
    .onConflict((conflict) =>
      conflict.columns(["target", "sync", "mapping"]).doUpdateSet({ written }),
    )
    .execute();
}

/**
 * Keeps the mapping that a run is opened with; to be called inside a transaction. Where the mapping is known, what the
 * service holds may be in another order of its fields: the text of then stays until something of this run is accepted.
 */
export async function keepOpened(
  queries: Queries,
  { target, sync, mapping, written }: SyncName & Pick<KeptMapping, "mapping" | "written">,
): Promise<void> {
  await queries
    .insertInto("keptMappings")
    .values({ target, sync, mapping, written, opened: written })
    .onConflict((conflict) =>
      conflict.columns(["target", "sync", "mapping"]).doUpdateSet({ opened: written }),
    )
    .execute();
}

/** Notes that a staging was accepted, so that its mapping is the deployed one; to be called inside a transaction. */
export async function noteDeployed(queries: Queries, send: number): Promise<void> {
  const kept = sql.table("keptMappings");
  await sql`
    update ${kept} set deployed = ${send}, written = coalesce(opened, written) where exists (
      select 1 from ${sql.table("stagings")} s join ${sql.table("runs")} r on r.run_id = s.run_id
      where s.send = ${send} and s.mapping = ${kept}.mapping and r.target = ${kept}.target and r.sync = ${kept}.sync)
  `.execute(queries);
}

async function beginAdoption(
  queries: Queries,
  { target, sync, fields, reason, at }: Parameters<AdoptionStore["beginAdoption"]>[0],
): Promise<number> {
  await assertNoOpenRun(queries, { target, sync });
  const made = await queries
    .insertInto("adoptions")
    .values({ target, sync, fields: JSON.stringify(fields), reason, adoptedAt: at })
    .returning("id")
    .executeTakeFirstOrThrow();
  return made.id;
}

async function listAdoptions(
  queries: Queries,
  { target, sync }: SyncName,
): Promise<ReturnType<AdoptionStore["adoptions"]>> {
  const found = await queries
    .selectFrom("adoptions")
    .select(["id", "fields", "reason", "records", "adoptedAt", "undoneAt"])
    .where("target", "=", target)
    .where("sync", "=", sync)
    .orderBy("id", "desc")
    .limit(toldMax)
    .execute();
  return found.map((row) => adoptionRow.parse(row));
}

/** How each database adopts records in its own way; to be called inside a transaction. */
export type KeyAdopting = {
  /** As `adoptRecords`, for one set. */
  adopt(this: void, queries: Queries, input: RecordsToAdopt): Promise<number>;
  /**
   * Restores what was known of up to `limit` keys of an adoption, and forgets what was kept for that: `restored` of the
   * `keys` are as they were.
   */
  undo(
    this: void,
    queries: Queries,
    of: { readonly adoption: number; readonly limit: number },
  ): Promise<{ readonly keys: number; readonly restored: number }>;
};

async function noteUndone(queries: Queries, adoption: number, at: string): Promise<void> {
  await queries.updateTable("adoptions").set({ undoneAt: at }).where("id", "=", adoption).execute();
}

/** The keys that one transaction restores. */
const keysPerUndo = 10_000;

/** The adoptions of a store. */
export function createAdoptionStore(
  db: StateDatabase,
  { adopt, undo }: KeyAdopting,
): Remote<AdoptionStore> {
  const undoAdoption: Remote<AdoptionStore>["undoAdoption"] = async ({ adoption, at, ...name }) => {
    for (let restored = 0; ;) {
      const done = await db.write(async (queries) => {
        await assertNoOpenRun(queries, name);
        const some = await undo(queries, { adoption, limit: keysPerUndo });
        if (some.keys < keysPerUndo) await noteUndone(queries, adoption, at);
        return some;
      });
      restored += done.restored;
      if (done.keys < keysPerUndo) return restored;
    }
  };
  return {
    keptMappings: reads(db, keptMappings),
    keepMapping: writes(db, keepMapping),
    beginAdoption: writes(db, beginAdoption),
    adoptRecords: writes(db, async (queries, input: RecordsToAdopt) => {
      await assertNoOpenRun(queries, input);
      const records = await adopt(queries, input);
      await queries
        .updateTable("adoptions")
        .set((eb) => ({ records: eb("records", "+", records) }))
        .where("id", "=", input.adoption)
        .execute();
      return records;
    }),
    undoAdoption,
    adoptions: reads(db, listAdoptions),
  };
}
