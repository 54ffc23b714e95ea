import { z } from "zod";

import { hashBytes } from "../../contract/keys/fingerprints.ts";
import type { KeyKeeping } from "../../store/keys/key-keeping.ts";
import type { KeyIds } from "../../store/keys/vanished.ts";
import { textBlockOf } from "../../text-block.ts";
import type { Database } from "../database.ts";
import { all, count } from "../database.ts";
import { idsPerSet } from "./field-keeper.ts";
import { createFingerprintSets, setOfRunSql } from "./fingerprint-sets.ts";
import { isOfKeySql } from "./key-functions.ts";
import type { KeyTools } from "./stage-keys.ts";
import { sendAfterSql, sinceSql } from "./staged/merge-keys.ts";

const idsRow = z.object({ id: z.int() });

const idsOfKeys = `select f.id as id from json_each($keys) k cross join fingerprints f
  on ${isOfKeySql("$setId", "k.value")}`;

/** What a SQLite store knows of the ids of keys. */
export function createKeyIds(db: Database, { sightings }: Pick<KeyTools, "sightings">): KeyIds {
  const ids = db.prepare(idsOfKeys);
  return {
    seenBy: async (_, of) => sightings.seenBy(of),
    idsOf: async (_, setId, keys) =>
      all(idsRow, ids, { setId, keys: JSON.stringify(keys) }).map(({ id }) => id),
  };
}

/** How a SQLite store keeps the keys of stagings. */
export function createKeyKeeping(
  db: Database,
  { sightings, hashesOf, stagedKeys, merging }: KeyTools,
): KeyKeeping {
  const sets = createFingerprintSets(db);
  const sendOf = db.prepare(
    "select send from stagings where run_id = $runId and chunk = $chunk and stage = $stage",
  );
  const since = db.prepare(sinceSql);
  // A refused record is unknown to the service: its key is sent again next time.
  const refuse = db.prepare(
    `update fingerprints as f set send = ${sendAfterSql("0")} where ${isOfKeySql(setOfRunSql, "$key")}`,
  );
  const isOfKeys = `from json_each($keys) k cross join fingerprints f on ${isOfKeySql("$setId", "k.value")}`;
  const ids = db.prepare(idsOfKeys);
  const forget = db.prepare(
    `update fingerprints set send = 0
     where (set_id, number, tag) in (select f.set_id, f.number, f.tag ${isOfKeys} where f.send = $send)`,
  );
  const erasedFields = `select f.set_id * ${idsPerSet} + f.id ${isOfKeys}`;
  const eraseFields = db.prepare(`delete from field_hashes where id in (${erasedFields})`);
  const eraseStagedFields = db.prepare(`delete from staged_fields where id in (${erasedFields})`);
  const eraseAdopted = db.prepare(
    `delete from adopted where (set_id, number, tag) in (select f.set_id, f.number, f.tag ${isOfKeys})`,
  );
  const erase = db.prepare(
    `delete from fingerprints where (set_id, number, tag) in (select f.set_id, f.number, f.tag ${isOfKeys})`,
  );
  return {
    steps: async (_, { runId, send }) => {
      const writes = merging.steps({ setId: sets.idOfRun(runId), send });
      return writes.map((write) => async () => write());
    },
    end: async (_, { runId, send }) => merging.forget({ setId: sets.idOfRun(runId), send }),
    settle: async () => merging.settle(),
    refuse: async (_, { runId, chunk, stage }, keys) => {
      if (keys.length === 0) return;
      const setId = sets.idOfRun(runId);
      const hashed = hashesOf(setId, textBlockOf(keys));
      const hashes = new Uint8Array(keys.length * hashBytes);
      const send = count(sendOf, { runId, chunk, stage });
      const known = { runId, send, since: count(since, { send }) };
      for (const key of keys) refuse.run({ ...known, key });
      stagedKeys.refuse({ setId, send }, { hashed, hashes });
    },
    forget: async (_, { runId, send }, keys) => {
      const asked = { setId: sets.idOfRun(runId), keys: JSON.stringify(keys) };
      // A record that was not taken was not seen either: a later run may never read its row.
      sightings.unsee(send, new Set(all(idsRow, ids, asked).map(({ id }) => id)));
      forget.run({ ...asked, send });
    },
    erase: async (_, setId, keys) => {
      const asked = { setId, keys: JSON.stringify(keys) };
      eraseFields.run(asked);
      eraseStagedFields.run(asked);
      eraseAdopted.run(asked);
      return Number(erase.run(asked).changes);
    },
  };
}
