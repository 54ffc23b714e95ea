import { type Refusing, type RefusalStore, refusalRow } from "../../contract/sends/refusals.ts";
import type { Database } from "../database.ts";
import { all, count } from "../database.ts";
import { createFingerprintSets, setOfRunSql } from "../keys/fingerprint-sets.ts";

/** Makes the functions that write refusals. */
export function createRefusing(db: Database): Refusing {
  const sets = createFingerprintSets(db);
  const add = db.prepare(
    `insert or replace into refusals (set_id, key, hash, code, field, noted_at)
     values (${setOfRunSql}, $key, $hash, $code, $field, $at)`,
  );
  const isAny = db.prepare(
    `select count(*) from (select 1 from refusals where set_id = ${setOfRunSql} limit 1)`,
  );
  const forget = db.prepare(
    `delete from refusals where set_id = ${setOfRunSql} and (
       key in (select value from json_each((select keys from sent_keys where send = $send)))
       or key in (select key from rejects where run_id = $runId and chunk = $chunk and stage = $stage
         and step = 'send'))`,
  );
  return {
    note: ({ runId }, rejects, at) => {
      sets.haveOfRun(runId);
      for (const { key, hash, code, field = null } of rejects) {
        if (key !== undefined && hash !== undefined) add.run({ runId, key, hash, code, field, at });
      }
    },
    forget: ({ runId, chunk, stage, send }) => {
      if (count(isAny, { runId }) > 0) forget.run({ runId, chunk, stage, send });
    },
  };
}

/** The refusals of a SQLite store. */
export function createRefusalStore(db: Database): RefusalStore {
  const select = db.prepare(
    `select key, hash, code, field from refusals join fingerprint_sets on id = set_id
     where target = $target and sync = $sync and noted_at > $since`,
  );
  const forget = db.prepare(
    "delete from refusals where set_id = (select id from fingerprint_sets where target = $target and sync = $sync)",
  );
  return {
    refusals: ({ target, sync, since }) => all(refusalRow, select, { target, sync, since }),
    forgetRefusals: ({ target, sync }) => db.write(() => void forget.run({ target, sync })),
  };
}
