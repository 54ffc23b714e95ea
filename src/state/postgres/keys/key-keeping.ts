import { sql } from "kysely";
import { z } from "zod";

import { setIdOfRun } from "../../store/keys/fingerprint-sets.ts";
import type { KeyKeeping } from "../../store/keys/key-keeping.ts";
import type { KeyIds } from "../../store/keys/vanished.ts";
import { stagingOf } from "../../store/sends/stagings.ts";
import { textBlockOf } from "../../text-block.ts";
import { keyRelation } from "./look-up.ts";
import { mergeSteps, noteMerged, refuseMerged, settleStaged } from "./merging.ts";
import { unsee } from "./sightings.ts";
import { refuseStaged } from "./staged-keys.ts";
import type { StoreKeys } from "./store-keys.ts";

const idRow = z.object({ id: z.int() });

/** What a store in Postgres knows of the ids of keys. */
export function createPostgresIds(store: StoreKeys): KeyIds {
  return {
    seenBy: async (queries, of) => await store.seen.all(queries, of),
    idsOf: async (queries, setId, keys) => {
      const hashed = (await store.hashes(queries))(setId, textBlockOf(keys));
      const { rows } = await sql`
        select f.id from ${keyRelation(hashed)} k join ${sql.table("fingerprints")} f
          on f.set_id = ${setId} and f.number = k.number and f.tag = k.tag`.execute(queries);
      return z
        .array(idRow)
        .parse(rows)
        .map(({ id }) => id);
    },
  };
}

/** How a store in Postgres keeps the keys of stagings. */
export function createPostgresKeeping(store: StoreKeys): KeyKeeping {
  const fingerprints = sql.table("fingerprints");
  const { idsOf } = createPostgresIds(store);
  return {
    steps: async (queries, { runId, send }) =>
      await mergeSteps(queries, { setId: await setIdOfRun(queries, runId), send }),
    noteTaken: async (queries, { runId, send }) =>
      await noteMerged(queries, { setId: await setIdOfRun(queries, runId), send }),
    // The rows kept apart for a staging say nothing once it counts: `settle` removes them.
    end: async () => undefined,
    settle: async () => await settleStaged(store.database),
    refuse: async (queries, { runId, chunk, stage }, keys) => {
      if (keys.length === 0) return;
      const setId = await setIdOfRun(queries, runId);
      const hashed = (await store.hashes(queries))(setId, textBlockOf(keys));
      const { send = 0 } = (await stagingOf(queries, { runId, chunk, stage })) ?? {};
      // A refused record is unknown to the service: its key is sent again next time.
      await refuseMerged(queries, { setId, send }, hashed);
      await refuseStaged(queries, { setId, send }, hashed);
    },
    forget: async (queries, { runId, send }, keys) => {
      if (keys.length === 0) return;
      const setId = await setIdOfRun(queries, runId);
      const hashed = (await store.hashes(queries))(setId, textBlockOf(keys));
      const isOfKeys = sql`f.set_id = ${setId} and f.number = k.number and f.tag = k.tag`;
      const ids = await idsOf(queries, setId, keys);
      // A record that was not taken was not seen either: a later run may never read its row.
      await unsee(queries, { setId, send }, new Set(ids));
      await sql`
        update ${fingerprints} f set send = 0 from ${keyRelation(hashed)} k
        where ${isOfKeys} and f.send = ${send}`.execute(queries);
    },
    erase: async (queries, setId, keys) => {
      if (keys.length === 0) return 0;
      const hashed = (await store.hashes(queries))(setId, textBlockOf(keys));
      await sql`
        delete from ${sql.table("adopted")} a using ${keyRelation(hashed)} k
        where a.set_id = ${setId} and a.number = k.number and a.tag = int8send(k.tag)`.execute(
        queries,
      );
      const { rows } = await sql`
        delete from ${fingerprints} f using ${keyRelation(hashed)} k
        where f.set_id = ${setId} and f.number = k.number and f.tag = k.tag returning f.id`.execute(
        queries,
      );
      for (const { id } of z.array(idRow).parse(rows)) {
        for (const table of ["fieldHashes", "stagedFields"]) {
          await sql`delete from ${sql.table(table)} where set_id = ${setId} and id = ${id}`.execute(
            queries,
          );
        }
      }
      return rows.length;
    },
  };
}
