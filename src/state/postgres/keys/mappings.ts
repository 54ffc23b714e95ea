import { type RawBuilder, sql } from "kysely";
import { z } from "zod";

import type { Remote } from "../../../thread.ts";
import type { MappingStore } from "../../contract/keys/mappings.ts";
import { setIdOf } from "../../store/keys/fingerprint-sets.ts";
import { newestSighted, sendOfAge } from "./ages.ts";
import type { StoreKeys } from "./store-keys.ts";

/**
 * Whether a staging was accepted and used this mapping, in SQL. A staging from before mappings were kept counts as
 * such, so that an update of sluice raises no alarm.
 */
function isOf(mapping: string, send: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce(${send}.state in ('committed', 'cut') and coalesce(${send}.mapping = ${mapping}, true), false)`;
}

const countsRow = z.object({ records: z.int() });

/** The mappings of a store in Postgres. */
export function createMappings({ database }: StoreKeys): Remote<MappingStore> {
  const { queries } = database.state;
  return {
    olderMapping: async ({ mapping, ...name }) => {
      const setId = await setIdOf(queries, name);
      const other = await queries
        .selectFrom("mappings")
        .select("mapping")
        .where("setId", "=", setId)
        .where("mapping", "<>", mapping)
        .limit(1)
        .executeTakeFirst();
      if (other === undefined) return { isAny: false, records: 0 };
      // Unknown records count, too: that their send was forgotten or abandoned does not mean that the service holds
      // nothing older. A key that is new in its staging does not count yet: it may be written while the chunk is on its
      // way.
      const stagings = sql.table("stagings");
      const { rows } = await sql`
        select count(*) as records from ${sql.table("fingerprints")} f
          left join ${newestSighted(setId)} newest on newest.id = f.id
          left join ${stagings} sent on sent.send = abs(f.send)
          left join ${stagings} seen on seen.send = ${sendOfAge(sql`newest.age`)}
        where f.set_id = ${setId} and f.hash is not null
          and not ${isOf(mapping, sql`sent`)} and not ${isOf(mapping, sql`seen`)}
          and not exists (
            select 1 from ${sql.table("stagedKeys")} e join ${stagings} s on s.send = e.send
            where e.set_id = ${setId} and e.number = f.number and e.tag = f.tag and e.is_drawn
              and s.state in ('staged', 'dropped'))`.execute(queries);
      return { isAny: true, records: countsRow.parse(rows[0]).records };
    },
    forgetOlderMappings: async ({ mapping, ...name }) => {
      await database.state.write(async (transaction) => {
        await transaction
          .deleteFrom("mappings")
          .where("setId", "=", await setIdOf(transaction, name))
          .where("mapping", "<>", mapping)
          .execute();
      });
    },
  };
}
