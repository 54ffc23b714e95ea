import { z } from "zod";

import type { SyncName } from "./checkpoints.ts";
import type { Database } from "./database.ts";
import { all, count } from "./database.ts";
import { createFingerprintSets, setOfRunSql } from "./fingerprint-sets.ts";
import type { RejectEntry } from "./rejects.ts";
import type { StageName } from "./sends.ts";

const refusalRow = z
  .object({
    key: z.string(),
    /** Of its line; see `hashesOf`. */
    hash: z.instanceof(Uint8Array),
    code: z.string(),
    field: z.string().nullable(),
  })
  .readonly();

/** A record that the service refused. */
export type Refusal = z.output<typeof refusalRow>;

/** What the service refused in chunks that are not committed: whoever stages one again need not find it again. */
export interface RefusalStore {
  /** Those that were noted after `since` (ISO): older ones are tried again, because the fault may have been the service's. */
  refusals(input: SyncName & { readonly since: string }): Refusal[];
  /** Has all of them tried again. */
  forgetRefusals(input: SyncName): void;
}

/** Notes refusals, and forgets them with the commit of their chunk; both to be called inside a transaction. */
export type Refusing = {
  note(name: StageName, rejects: readonly RejectEntry[], at: string): void;
  forget(name: StageName & { readonly send: number }): void;
};

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
       or key in (select key from rejects where run_id = $runId and chunk = $chunk and stage = $stage and step = 'send'))`,
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
