import { z } from "zod";

import {
  adoptedColumns,
  adoptedOf,
  type KnownRecord,
  type KnownRecordStore,
} from "../../contract/keys/known-records.ts";
import { fieldSlotsMax } from "../../limits.ts";
import { readFields } from "../../rules/keys/field-hashes.ts";
import { tagBytes } from "../../rules/keys/key-hashes.ts";
import { wordsOf } from "../../rules/keys/staged-index.ts";
import { textBlockOf } from "../../text-block.ts";
import type { Database } from "../database.ts";
import { all, first } from "../database.ts";
import { fieldsIdSql } from "./field-keeper.ts";
import { createFingerprintSets } from "./fingerprint-sets.ts";
import type { KeyTools } from "./stage-keys.ts";

const slotRow = z.object({ slot: z.int(), name: z.string() });

const fingerprintRow = z.object({
  hash: z.instanceof(Uint8Array).nullable(),
  fields: z.instanceof(Uint8Array).nullable(),
  send: z.int(),
  acceptedAt: z.int().nullable(),
  ...adoptedColumns,
});

const selectRecord = `select hash, hashes as fields, f.send as send, committed_at as acceptedAt,
     adopted_at as adoptedAt, reason,
     iif(o.id is null, null, (
       select json_group_array(json(fields)) from adoptions where id in (
         select adoption from adopted a where a.set_id = f.set_id and a.number = f.number and a.tag = f.tag
           and a.send = f.send))) as adoptedFields
   from fingerprints f left join field_hashes h on h.id = ${fieldsIdSql}
   left join stagings s on s.send = f.send and s.state in ('committed', 'cut')
   left join adoptions o on o.id = (
     select max(adoption) from adopted a where a.set_id = f.set_id and a.number = f.number and a.tag = f.tag
       and a.hash = f.hash and a.send = f.send)
   where set_id = $id and number = $number and tag = $tag`;

/** What a SQLite store knows of records. */
export function createKnownRecordStore(
  db: Database,
  { hashesOf, stagedKeys }: Pick<KeyTools, "hashesOf" | "stagedKeys">,
): KnownRecordStore {
  const sets = createFingerprintSets(db);
  const selectSlots = db.prepare(
    "select slot, name from fingerprint_fields where set_id = $id order by slot",
  );
  const makeSlot = db.prepare(
    `insert or ignore into fingerprint_fields (set_id, slot, name)
     select $id, count(*), $name from fingerprint_fields where set_id = $id having count(*) < ${fieldSlotsMax}`,
  );
  const select = db.prepare(selectRecord);
  return {
    fieldSlots: ({ target, sync, names }) =>
      db.write(() => {
        const { id } = sets.have({ target, sync });
        for (const name of names) makeSlot.run({ id, name });
        return all(slotRow, selectSlots, { id }).map(({ name }) => name);
      }),
    knownRecords: ({ target, sync, keys }) => {
      const set = sets.find({ target, sync });
      if (set === undefined) return keys.map(() => ({ state: "new" }));
      const { id, validAfter } = set;
      const slots = all(slotRow, selectSlots, { id });
      const names = new Map(slots.map(({ slot, name }) => [slot, name]));
      const hashed = hashesOf(id, textBlockOf(keys));
      const { numbers, tags } = hashed;
      const staged = stagedKeys.of(id);
      const words = wordsOf(hashed);
      return keys.map((_, index): KnownRecord => {
        // It may be sent at any time, or was sent and nobody knows whether it was taken.
        const entry = staged.find(words, index);
        if (entry !== -1)
          return { state: "unknown", why: "underWay", send: staged.numberAt(entry) };
        const tag = tags.subarray(index * tagBytes, (index + 1) * tagBytes);
        const found = first(fingerprintRow, select, { id, number: numbers[index] ?? 0n, tag });
        // A row without a hash was only seen, by a dry run of a version that had such rows. Once fingerprints were
        // forgotten, a key without a hash may have been sent.
        if (found === undefined || found.hash === null) {
          return validAfter === 0 ? { state: "new" } : { state: "unknown", why: "forgotten" };
        }
        const { hash, fields, acceptedAt } = found;
        // Negative if a run sent two records of the key: no staging has such a number.
        const send = Math.abs(found.send);
        if (send === 0) return { state: "unknown", why: "untaken" };
        if (send <= validAfter) return { state: "unknown", why: "forgotten" };
        if (acceptedAt === null) return { state: "unknown", why: "unsettled", send };
        const known = fields === null ? undefined : readFields(fields, names);
        const adopted = adoptedOf(found);
        return { state: "accepted", hash, fields: known, acceptedAt, send, adopted };
      });
    },
  };
}
