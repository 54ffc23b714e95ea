import { sql } from "kysely";
import { z } from "zod";

import type { NewestAges } from "../../store/keys/newest-ages.ts";
import { textBlockOf } from "../../text-block.ts";
import { newestAges } from "./ages.ts";
import { keyRelation, knownOfKey } from "./look-up.ts";
import type { StoreKeys } from "./store-keys.ts";

const idRow = z.object({ id: z.int().nullable() });

/** The ages of keys in a store in Postgres. */
export function createNewestKnown(store: StoreKeys): NewestAges {
  const { queries } = store.database.state;
  return {
    asking: async (work) =>
      await work(async (setId, asked) => {
        const hashed = (await store.hashes(queries))(setId, textBlockOf(asked));
        const { rows } = await sql`
          select f.id from ${keyRelation(hashed)} k left join lateral ${knownOfKey(setId)} f on true
          order by k.place`.execute(queries);
        const ids = z.array(idRow).parse(rows);
        const known = ids.flatMap(({ id }) => id ?? []);
        const ages = await newestAges(queries, setId, known);
        return ids.map(({ id }) => (id === null ? 0 : (ages.get(id) ?? 0)));
      }),
  };
}
