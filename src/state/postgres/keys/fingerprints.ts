import { sql } from "kysely";

import type { Remote } from "../../../thread.ts";
import type { FingerprintStore } from "../../contract/keys/fingerprints.ts";
import { ageInSql } from "../../store/keys/age-in-sql.ts";
import { findSet } from "../../store/keys/fingerprint-sets.ts";
import { newestSighted } from "./ages.ts";
import { createFieldKeeping } from "./field-keeper.ts";
import { withLockedSet } from "./set-lock.ts";
import { createJudging, createStaging } from "./stage-keys.ts";
import type { StoreKeys } from "./store-keys.ts";

/**
 * Makes what removes the keys that were last seen before a run: of one moment, in one transaction, which keeps nobody
 * but stagings of this set waiting. What is written already for a chunk on its way is seen with its commit, and stays.
 */
function createForgettingSeen({
  database,
}: StoreKeys): Remote<FingerprintStore>["forgetSeenBefore"] {
  return async ({ runId, ...name }) => {
    await withLockedSet(database, name, async (queries, { id: setId }) => {
      const begun = sql`(select ${ageInSql(sql`min(send)`, sql`0`)} from ${sql.table("stagings")}
        where run_id = ${runId})`;
      await sql`
        with gone as (
          delete from ${sql.table("fingerprints")} f where f.set_id = ${setId} and f.id in (
            select every.id from ${sql.table("fingerprints")} every
              left join ${newestSighted(setId)} newest on newest.id = every.id
            where every.set_id = ${setId} and coalesce(newest.age, 0) < ${begun}
              and abs(every.send) not in (select send from ${sql.table("stagings")} where state = 'staged'))
          returning f.id)
        delete from ${sql.table("fieldHashes")} h using gone where h.set_id = ${setId} and h.id = gone.id`.execute(
        queries,
      );
    });
  };
}

/** The fingerprints of a store in Postgres. */
export function createFingerprints(store: StoreKeys): Remote<FingerprintStore> {
  const { database } = store;
  return {
    stageKeys: createStaging(store),
    judgeKeys: createJudging(store),
    keepFields: createFieldKeeping(store),
    hasRepeats: async (name) => {
      const { queries } = database.state;
      const set = await findSet(queries, name);
      if (set === undefined) return false;
      const { rows } = await sql`
        select 1 from ${sql.table("fingerprints")}
        where set_id = ${set.id} and send < ${-set.validAfter} limit 1`.execute(queries);
      return rows.length > 0;
    },
    forgetSeenBefore: createForgettingSeen(store),
    forgetFingerprints: async (name) => {
      await withLockedSet(database, name, async (queries, { id }) => {
        await sql`
          update ${sql.table("fingerprintSets")}
          set valid_after = (select coalesce(max(send), 0) from ${sql.table("stagings")}) where id = ${id}`.execute(
          queries,
        );
      });
    },
  };
}
