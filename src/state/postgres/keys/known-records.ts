import { sql } from "kysely";
import { z } from "zod";

import type { Remote } from "../../../thread.ts";
import {
  adoptedColumns,
  adoptedOf,
  type KnownRecord,
  type KnownRecordStore,
} from "../../contract/keys/known-records.ts";
import { fieldSlotsMax } from "../../limits.ts";
import { readFields } from "../../rules/keys/field-hashes.ts";
import { findSet } from "../../store/keys/fingerprint-sets.ts";
import type { Queries } from "../../store/state-database.ts";
import { textBlockOf } from "../../text-block.ts";
import { keyRelation, knownOfKey, stagedOfKey } from "./look-up.ts";
import { withLockedSet } from "./set-lock.ts";
import type { StoreKeys } from "./store-keys.ts";

/** The most keys that one statement looks up. */
const keysPerStatement = 10_000;

const slotRow = z.object({ slot: z.int(), name: z.string() });

async function slotsOf(queries: Queries, setId: number): Promise<z.output<typeof slotRow>[]> {
  const { rows } = await sql`
    select slot, name from ${sql.table("fingerprintFields")} where set_id = ${setId} order by slot`.execute(
    queries,
  );
  return z.array(slotRow).parse(rows);
}

const bytes = z.instanceof(Uint8Array).nullable();

const recordRow = z.object({
  stagedSend: z.int().nullable(),
  hash: z
    .string()
    .transform((uuid) => new Uint8Array(Buffer.from(uuid.replaceAll("-", ""), "hex")))
    .nullable(),
  fields: bytes,
  send: z.int().nullable(),
  acceptedAt: z.int().nullable(),
  ...adoptedColumns,
});

/** Makes `fieldSlots` of a store in Postgres. */
function createSlots({ database }: StoreKeys): Remote<KnownRecordStore>["fieldSlots"] {
  return async ({ target, sync, names }) =>
    await withLockedSet(database, { target, sync }, async (queries, { id }) => {
      const known = (await slotsOf(queries, id)).map(({ name }) => name);
      for (const name of new Set(names)) {
        if (known.length === fieldSlotsMax || known.includes(name)) continue;
        await sql`
          insert into ${sql.table("fingerprintFields")} (set_id, slot, name)
          values (${id}, ${known.length}, ${name})`.execute(queries);
        known.push(name);
      }
      return known;
    });
}

/** What a store in Postgres knows of records. */
export function createKnownRecords(store: StoreKeys): Remote<KnownRecordStore> {
  const { queries } = store.database.state;
  const recordsOf = async (
    { id, validAfter }: { readonly id: number; readonly validAfter: number },
    keys: readonly string[],
  ): Promise<KnownRecord[]> => {
    const names = new Map((await slotsOf(queries, id)).map(({ slot, name }) => [slot, name]));
    const hashesOf = await store.hashes(queries);
    const { rows } = await sql`
      with keyed as materialized (
        select k.place, k.number, k.tag, e.send as staged_send, f.id, f.hash, f.send
        from ${keyRelation(hashesOf(id, textBlockOf(keys)))} k
          left join lateral ${stagedOfKey(id)} e on true left join lateral ${knownOfKey(id)} f on true)
      select k.staged_send, k.hash, h.hashes as fields, k.send, s.committed_at as accepted_at,
        o.adopted_at, o.reason, case when o.id is not null then (
          select json_agg(fields::json)::text from ${sql.table("adoptions")} where id in (
            select adoption from ${sql.table("adopted")} a where a.set_id = ${id} and a.number = k.number
              and a.tag = int8send(k.tag) and a.send = k.send)) end as adopted_fields
      from keyed k left join ${sql.table("fieldHashes")} h on h.set_id = ${id} and h.id = k.id
        left join ${sql.table("stagings")} s on s.send = k.send and s.state in ('committed', 'cut')
        left join ${sql.table("adoptions")} o on o.id = (
          select max(adoption) from ${sql.table("adopted")} a where a.set_id = ${id} and a.number = k.number
            and a.tag = int8send(k.tag) and a.hash = uuid_send(k.hash) and a.send = k.send)
      order by k.place`.execute(queries);
    return z
      .array(recordRow)
      .parse(rows)
      .map(({ stagedSend, hash, fields, send: signed, acceptedAt, ...adoption }) => {
        // It may be sent at any time, or was sent and nobody knows whether it was taken.
        if (stagedSend !== null) return { state: "unknown", why: "underWay", send: stagedSend };
        // A row without a hash was only seen, by a dry run of a version that had such rows. Once fingerprints were
        // forgotten, a key without a hash may have been sent.
        if (hash === null || signed === null) {
          return validAfter === 0 ? { state: "new" } : { state: "unknown", why: "forgotten" };
        }
        // Negative if a run sent two records of the key: no staging has such a number.
        const send = Math.abs(signed);
        if (send === 0) return { state: "unknown", why: "untaken" };
        if (send <= validAfter) return { state: "unknown", why: "forgotten" };
        if (acceptedAt === null) return { state: "unknown", why: "unsettled", send };
        const known = fields === null ? undefined : readFields(fields, names);
        const adopted = adoptedOf(adoption);
        return { state: "accepted", hash, fields: known, acceptedAt, send, adopted };
      });
  };
  return {
    fieldSlots: createSlots(store),
    knownRecords: async ({ keys, ...name }) => {
      const set = await findSet(queries, name);
      if (set === undefined) return keys.map(() => ({ state: "new" }));
      const records: KnownRecord[] = [];
      for (let start = 0; start < keys.length; start += keysPerStatement) {
        records.push(...(await recordsOf(set, keys.slice(start, start + keysPerStatement))));
      }
      return records;
    },
  };
}
