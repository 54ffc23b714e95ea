import type { DatabaseSync } from "node:sqlite";

import { z } from "zod";

import { rowNumberOf, sendOf } from "../../rules/keys/ages.ts";
import { createKeyHashes, type KeyHashes } from "../../rules/keys/key-hashes.ts";
import { SeenRowsWriter } from "../../rules/keys/seen-rows.ts";
import { textBlockOf } from "../../text-block.ts";
import { agesOf, Ages, bytesOfAges } from "../keys/age-blocks.ts";

/** Fingerprints with hashed keys, so that they all take the same, smaller room. */
const tables = `
insert into meta (name, value) values ('key_secret', lower(hex(randomblob(16))));

alter table sightings add column lengths blob;
alter table fingerprints rename to whole_fingerprints;
alter table field_hashes rename to whole_field_hashes;

create table fingerprints (
  set_id integer not null,
  number integer not null,
  tag blob not null,
  hash blob,
  send integer not null,
  id integer not null,
  primary key (set_id, number, tag)
) without rowid;

create table field_hashes (id integer primary key, hashes blob);
`;

const rest = `
drop table whole_fingerprints;
drop table whole_field_hashes;
`;

const setRow = z.object({ id: z.int(), nextId: z.int() });

const keyRow = z.object({
  key: z.string(),
  hash: z.instanceof(Uint8Array).nullable(),
  fields: z.int().nullable(),
  send: z.int(),
  id: z.int().nullable(),
  /** The age at which an accepted staging last saw it. */
  age: z.number(),
  seen: z.number(),
  /** Whether the run that last saw it may continue. */
  isOpen: z.int().transform(Boolean),
});

const secretRow = z.object({ value: z.string() });

const blockRow = z.object({ block: z.int(), ages: z.instanceof(Uint8Array).transform(agesOf) });

function see(open: Map<number, SeenRowsWriter>, id: number, age: number): void {
  const rows = open.get(sendOf(age)) ?? new SeenRowsWriter();
  rows.add(id, rowNumberOf(age));
  open.set(sendOf(age), rows);
}

function putSeen(
  db: DatabaseSync,
  { setId, send, seen }: { setId: number; send: number; seen: SeenRowsWriter },
): void {
  const { ids, rowNumbers, lengths } = seen.columns();
  db.prepare(
    "insert into sightings (set_id, send, ids, row_numbers, lengths) values (?, ?, ?, ?, ?)",
  ).run(setId, send, ids, rowNumbers, lengths);
}

/** Hashes the keys of one set. What is known of them stays; their ages move to the blocks of ages. */
function hashSet(
  db: DatabaseSync,
  hashesOf: KeyHashes,
  { id: setId, nextId }: z.output<typeof setRow>,
): void {
  const rows = db.prepare(
    `select key, hash, fields, f.send as send, id,
       iif(s.state in ('committed', 'cut'), seen, seen_before) as age, seen,
       s.state <> 'dropped' and r.run_id is not null and r.ended_at is null as isOpen
     from whole_fingerprints f left join sends s on s.send = cast(f.seen / 16777216 as integer)
       left join runs r using (run_id)
     where set_id = ? order by id, key`,
  );
  const put = db.prepare(
    "insert into fingerprints (set_id, number, tag, hash, send, id) values (?, ?, ?, ?, ?, ?)",
  );
  const putFields = db.prepare(
    "insert into field_hashes (id, hashes) select ?, hashes from whole_field_hashes where id = ?",
  );
  const open = new Map<number, SeenRowsWriter>();
  const ages = new Ages();
  const blocks = db.prepare("select block, ages from sighted_blocks where set_id = ?").all(setId);
  for (const row of blocks) {
    const { block, ages: known } = blockRow.parse(row);
    ages.blocks.set(block, known);
  }
  let next = nextId;
  for (const row of rows.iterate(setId)) {
    const { key, hash, fields, send, id: known, age, seen, isOpen } = keyRow.parse(row);
    const id = known ?? next++;
    const { numbers, tags } = hashesOf(setId, textBlockOf([key]));
    put.run(setId, numbers[0] ?? 0n, tags, hash, send, id);
    if (fields !== null) putFields.run(setId * 2 ** 32 + id, fields);
    ages.addOne(id, age);
    if (isOpen) see(open, id, seen);
  }
  for (const [send, seen] of open) putSeen(db, { setId, send, seen });
  const putBlock = db.prepare(
    "insert or replace into sighted_blocks (set_id, block, ages) values (?, ?, ?)",
  );
  for (const [block, all] of ages.blocks) putBlock.run(setId, block, bytesOfAges(all));
  db.prepare("update fingerprint_sets set next_id = ? where id = ?").run(next, setId);
}

/** Step 5: fingerprints are found by a hash of their key, and the age of a key is kept with what stagings saw. */
export function hashKeys(db: DatabaseSync): void {
  db.exec(tables);
  const secret = secretRow.parse(
    db.prepare("select value from meta where name = 'key_secret'").get(),
  );
  const hashesOf = createKeyHashes(Buffer.from(secret.value, "hex"));
  const sets = db.prepare("select id, next_id as nextId from fingerprint_sets").all();
  for (const set of sets) hashSet(db, hashesOf, setRow.parse(set));
  db.exec(rest);
}
