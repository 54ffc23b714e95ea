import { z } from "zod";

import type { FingerprintStore } from "../../contract/keys/fingerprints.ts";
import { transactionRowsMax } from "../../limits.ts";
import type { Database } from "../database.ts";
import { count, first } from "../database.ts";
import { ageSql } from "./ages.ts";
import { createFieldKeeper, fieldsIdSql } from "./field-keeper.ts";
import { createFingerprintSets } from "./fingerprint-sets.ts";
import { newestSightedSql } from "./sightings.ts";
import { createJudgeKeys, createStageKeys, type KeyTools } from "./stage-keys.ts";

// As text: not every key number is a safe integer of JavaScript.
const lastRow = z.object({ last: z.string().nullable() });

/** Below the number of every key. */
const beforeAll = "-9223372036854775809";

/**
 * Prepares the removal of keys last seen before a run; one block of keys at a time, so that other writers get their
 * turn.
 */
function createForgettingSeen(
  db: Database,
  { sightings, merging }: Pick<KeyTools, "merging" | "sightings">,
): FingerprintStore["forgetSeenBefore"] {
  const ofSet =
    "set_id = (select id from fingerprint_sets where target = $target and sync = $sync)";
  const block = db.prepare(
    `select cast(max(number) as text) as last from (
       select number from fingerprints where ${ofSet} and number > cast($after as numeric)
       order by number limit ${transactionRowsMax})`,
  );
  const passed = `${ofSet} and number > cast($after as numeric) and number <= cast($last as numeric)
    and ${newestSightedSql} < (select ${ageSql("min(send)", "0")} from stagings where run_id = $runId)`;
  const forgetFields = db.prepare(
    `delete from field_hashes where id in (select ${fieldsIdSql} from fingerprints f where ${passed})`,
  );
  const forget = db.prepare(`delete from fingerprints as f where ${passed}`);
  return (input) => {
    merging.settle();
    sightings.asking(() => {
      const { target, sync } = input;
      for (let after = beforeAll; ;) {
        const last = first(lastRow, block, { target, sync, after })?.last ?? undefined;
        if (last === undefined) return;
        const asked = { ...input, after, last };
        db.write(() => {
          forgetFields.run(asked);
          forget.run(asked);
        });
        after = last;
      }
    });
  };
}

/** The fingerprints of a SQLite store. */
export function createFingerprintStore(db: Database, tools: KeyTools): FingerprintStore {
  const sets = createFingerprintSets(db);
  const retire = db.prepare(
    `update fingerprint_sets set valid_after = (select coalesce(max(send), 0) from stagings)
     where target = $target and sync = $sync`,
  );
  const hasRepeats = db.prepare(
    `select count(*) from (select 1 from fingerprints f join fingerprint_sets s on s.id = set_id
       where target = $target and sync = $sync and send < -valid_after limit 1)`,
  );
  return {
    stageKeys: createStageKeys(db, tools),
    judgeKeys: createJudgeKeys(db, tools),
    keepFields: createFieldKeeper(db),
    hasRepeats: (name) => count(hasRepeats, name) > 0,
    forgetSeenBefore: createForgettingSeen(db, tools),
    forgetFingerprints: (name) =>
      db.write(() => {
        sets.have(name);
        retire.run(name);
      }),
  };
}
