import { sql } from "kysely";

import type { Remote } from "../../../thread.ts";
import type { FingerprintStore } from "../../contract/keys/fingerprints.ts";
import { ageInSql } from "../../store/keys/age-in-sql.ts";
import { findSet, setIdOf } from "../../store/keys/fingerprint-sets.ts";
import { newestSighted } from "./ages.ts";
import { createFieldKeeping } from "./field-keeper.ts";
import { settleStaged, writtenAhead } from "./merging.ts";
import { withLockedSet } from "./set-lock.ts";
import { createJudging, createStaging } from "./stage-keys.ts";
import type { StoreKeys } from "./store-keys.ts";

/**
 * Makes a function that removes the keys last seen before a run, as of one moment, in one transaction, for which only
 * stagings of this set wait. A key that is already written for a chunk on its way is seen with that chunk's commit:
 * only that chunk is known of it from then on, as if the key were written later.
 */
function createForgettingSeen({
  database,
}: StoreKeys): Remote<FingerprintStore>["forgetSeenBefore"] {
  return async ({ runId, ...name }) => {
    await settleStaged(database, await setIdOf(database.state.queries, name));
    await withLockedSet(database, name, async (queries, { id: setId }) => {
      const fingerprints = sql.table("fingerprints");
      const begun = sql`(select ${ageInSql(sql`min(send)`, sql`0`)} from ${sql.table("stagings")}
        where run_id = ${runId})`;
      await sql`
        with unseen as materialized (
          select every.id, every.number, every.tag, ahead.send from ${fingerprints} every
            left join ${newestSighted(setId)} newest on newest.id = every.id
            left join ${writtenAhead(setId)} ahead on ahead.number = every.number and ahead.tag = every.tag
          where every.set_id = ${setId} and coalesce(newest.age, 0) < ${begun}),
        kept as (
          update ${fingerprints} f set send = unseen.send from unseen
          where f.set_id = ${setId} and f.number = unseen.number and f.tag = unseen.tag and unseen.send is not null),
        gone as (
          delete from ${fingerprints} f using unseen
          where f.set_id = ${setId} and f.number = unseen.number and f.tag = unseen.tag and unseen.send is null
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
