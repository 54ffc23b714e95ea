import { z } from "zod";

import { hashBytes } from "../../contract/keys/fingerprints.ts";
import { tagBytes } from "../../rules/keys/key-hashes.ts";
import { wordsOf } from "../../rules/keys/staged-index.ts";
import type { KeyAdopting } from "../../store/keys/adoptions.ts";
import { textBlockOf } from "../../text-block.ts";
import type { Database } from "../database.ts";
import { count } from "../database.ts";
import { fieldsIdSql, idsPerSet } from "./field-keeper.ts";
import { createFingerprintSets } from "./fingerprint-sets.ts";
import type { KeyTools } from "./stage-keys.ts";

/** Whether the fingerprint `f` is as the adoption `a` left it, and counts, in SQL. */
const isAsAdopted = `f.set_id = a.set_id and f.number = a.number and f.tag = a.tag and f.hash = a.hash
  and f.send = a.send and f.send > (select valid_after from fingerprint_sets s where s.id = a.set_id)`;

/** Some of the keys of an adoption. */
const some =
  "(select * from adopted where adoption = $adoption order by set_id, number, tag limit $limit)";

const changed = z.object({ changes: z.int() });

function part(bytes: Uint8Array, size: number, index: number): Uint8Array {
  return bytes.subarray(index * size, (index + 1) * size);
}

function createAdopt(
  db: Database,
  { hashesOf, stagedKeys }: Pick<KeyTools, "hashesOf" | "stagedKeys">,
): KeyAdopting["adopt"] {
  const sets = createFingerprintSets(db);
  const save = db.prepare(
    `insert or ignore into adopted
       (set_id, number, tag, adoption, id, send, hash, hash_before, fields_before)
     select f.set_id, f.number, f.tag, $adoption, f.id, f.send, $after, f.hash, h.hashes
     from fingerprints f join stagings s on s.send = f.send and s.state in ('committed', 'cut')
       left join field_hashes h on h.id = ${fieldsIdSql}
     where f.set_id = $setId and f.number = $number and f.tag = $tag and f.hash = $before and f.send > $validAfter`,
  );
  const put = db.prepare(
    "update fingerprints set hash = $after where set_id = $setId and number = $number and tag = $tag",
  );
  const putFields = db.prepare(
    `insert or replace into field_hashes (id, hashes)
     select ${fieldsIdSql}, $fields from fingerprints f
     where set_id = $setId and number = $number and tag = $tag`,
  );
  return async (_, input) => {
    const { adoption, keys, before, after, fieldBytes, hashes } = input;
    const { id: setId = 0, validAfter = 0 } = sets.find(input) ?? {};
    const hashed = hashesOf(setId, textBlockOf(keys));
    const [staged, words] = [stagedKeys.of(setId), wordsOf(hashed)];
    let adopted = 0;
    for (const index of keys.keys()) {
      if (staged.find(words, index) !== -1) continue;
      const tag = part(hashed.tags, tagBytes, index);
      const of = { setId, number: hashed.numbers[index] ?? 0n, tag };
      const hash = {
        before: part(before, hashBytes, index),
        after: part(after, hashBytes, index),
      };
      const { changes } = changed.parse(save.run({ ...of, ...hash, adoption, validAfter }));
      if (changes === 0) continue;
      put.run({ ...of, after: hash.after });
      putFields.run({ ...of, fields: part(hashes, fieldBytes, index) });
      adopted += 1;
    }
    return await Promise.resolve(adopted);
  };
}

function createUndo(db: Database): KeyAdopting["undo"] {
  const restoreFields = db.prepare(
    `insert or replace into field_hashes (id, hashes)
     select a.set_id * ${idsPerSet} + a.id, a.fields_before from ${some} a join fingerprints f on ${isAsAdopted}`,
  );
  const restore = db.prepare(
    `update fingerprints as f set hash = a.hash_before from ${some} a where ${isAsAdopted}`,
  );
  const forget = db.prepare(
    `delete from adopted where adoption = $adoption and (set_id, number, tag) in
       (select set_id, number, tag from ${some})`,
  );
  const left = db.prepare(`select count(*) from ${some}`);
  return async (_, of) => {
    const keys = count(left, of);
    restoreFields.run(of);
    const { changes: restored } = changed.parse(restore.run(of));
    forget.run(of);
    return await Promise.resolve({ keys, restored });
  };
}

/** How a SQLite store adopts records. */
export function createAdopting(
  db: Database,
  tools: Pick<KeyTools, "hashesOf" | "stagedKeys">,
): KeyAdopting {
  return { adopt: createAdopt(db, tools), undo: createUndo(db) };
}
