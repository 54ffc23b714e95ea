import { sql } from "kysely";
import { z } from "zod";

import type { RecordsToAdopt } from "../../contract/keys/adoptions.ts";
import { tagBytes } from "../../rules/keys/key-hashes.ts";
import type { KeyAdopting } from "../../store/keys/adoptions.ts";
import { findSet } from "../../store/keys/fingerprint-sets.ts";
import type { Queries } from "../../store/state-database.ts";
import { textBlockOf } from "../../text-block.ts";
import { bigintsOf, bytesArray } from "./binary-arrays.ts";
import { hashArray, stagedOfKey } from "./look-up.ts";
import type { StoreKeys } from "./store-keys.ts";

const adoptedRow = z.object({ records: z.int() });
const undoneRow = z.object({ keys: z.int(), restored: z.int() });

async function adopt(keys: StoreKeys, queries: Queries, input: RecordsToAdopt): Promise<number> {
  const set = await findSet(queries, input);
  if (set === undefined) return 0;
  const { adoption, before, after, fieldBytes, hashes } = input;
  const { numbers, tags } = (await keys.hashes(queries))(set.id, textBlockOf(input.keys));
  const order = [...input.keys.keys()];
  const tagArray = bytesArray("bigint", { bytes: tags, size: tagBytes }, order);
  const fields = bytesArray("bytea", { bytes: hashes, size: fieldBytes }, order);
  const { rows } = await sql`
    with k as (
      select * from unnest(${bigintsOf(numbers, order)}::bigint[], ${tagArray}::bigint[], ${hashArray(before, order)},
        ${hashArray(after, order)}, ${fields}::bytea[]) as one (number, tag, before, after, fields)),
    found as materialized (
      select f.number, f.tag, f.id, f.send, f.hash, h.hashes, k.after, k.fields
      from k join ${sql.table("fingerprints")} f
          on f.set_id = ${set.id} and f.number = k.number and f.tag = k.tag and f.hash = k.before
        join ${sql.table("stagings")} s on s.send = f.send and s.state in ('committed', 'cut')
        left join ${sql.table("fieldHashes")} h on h.set_id = ${set.id} and h.id = f.id
      where f.send > ${set.validAfter} and not exists (select 1 from ${stagedOfKey(set.id)} e)
      for update of f),
    saved as (
      insert into ${sql.table("adopted")}
        (set_id, number, tag, adoption, id, send, hash, hash_before, fields_before)
      select ${set.id}, number, int8send(tag), ${adoption}, id, send, uuid_send(after), uuid_send(hash), hashes
      from found on conflict do nothing returning number, tag),
    put as (
      update ${sql.table("fingerprints")} f set hash = found.after from found join saved s
        on s.number = found.number and s.tag = int8send(found.tag)
      where f.set_id = ${set.id} and f.number = found.number and f.tag = found.tag
      returning f.id, found.fields),
    put_fields as (
      insert into ${sql.table("fieldHashes")} (set_id, id, hashes) select ${set.id}, id, fields from put
      on conflict (set_id, id) do update set hashes = excluded.hashes)
    select count(*)::integer as records from put`.execute(queries);
  return adoptedRow.parse(rows[0]).records;
}

/** How a store in Postgres adopts records. */
export function createPostgresAdopting(keys: StoreKeys): KeyAdopting {
  return {
    adopt: async (queries, input) => await adopt(keys, queries, input),
    undo: async (queries, { adoption, limit }) => {
      const { rows } = await sql`
        with taken as (
          delete from ${sql.table("adopted")} a using (
            select set_id, number, tag from ${sql.table("adopted")} where adoption = ${adoption} limit ${limit}) one
          where a.adoption = ${adoption} and a.set_id = one.set_id and a.number = one.number and a.tag = one.tag
          returning a.set_id, a.number, a.tag, a.send, a.hash, a.hash_before, a.fields_before),
        restored as (
          update ${sql.table("fingerprints")} f set hash = encode(taken.hash_before, 'hex')::uuid from taken
          where f.set_id = taken.set_id and f.number = taken.number and int8send(f.tag) = taken.tag
            and uuid_send(f.hash) = taken.hash and f.send = taken.send
            and f.send > (select valid_after from ${sql.table("fingerprintSets")} s where s.id = f.set_id)
          returning f.set_id, f.id, taken.fields_before),
        fields as (
          insert into ${sql.table("fieldHashes")} (set_id, id, hashes)
          select set_id, id, fields_before from restored
          on conflict (set_id, id) do update set hashes = excluded.hashes)
        select (select count(*) from taken)::integer as keys,
          (select count(*) from restored)::integer as restored`.execute(queries);
      return undoneRow.parse(rows[0]);
    },
  };
}
