import { z } from "zod";

import { transactionRowsMax } from "../../../limits.ts";
import type { FingerprintStore } from "../../contract/keys/fingerprints.ts";
import type { Database } from "../database.ts";
import { all, count } from "../database.ts";
import { createDoubts } from "../doubts/doubts.ts";
import { superseded } from "../sends/sends.ts";
import { ageSql } from "./ages.ts";
import { FieldLosses } from "./field-keeper.ts";
import { createFingerprintSets } from "./fingerprint-sets.ts";
import { createJudge } from "./judge.ts";
import { createLookUp } from "./look-up.ts";
import { newestSightedSql, type Sightings } from "./sightings.ts";

const keyRow = z.object({ key: z.string() });

/**
 * Prepares the removal of what was last seen before a run; a block of keys at a time, so that other writers
 * get their turn.
 */
function createForgettingSeen(
  db: Database,
  sightings: Sightings,
): FingerprintStore["forgetSeenBefore"] {
  const ofSet =
    "set_id = (select id from fingerprint_sets where target = $target and sync = $sync)";
  const block = db.prepare(
    `select key from fingerprints where ${ofSet} and key > $after order by key limit ${transactionRowsMax}`,
  );
  const passed = `${ofSet} and key > $after and key <= $last
    and max(seen, ${newestSightedSql}) < (select ${ageSql("min(send)", "0")} from sends where run_id = $runId)`;
  const forgetFields = db.prepare(
    `delete from field_hashes where id in (select fields from fingerprints f where ${passed})`,
  );
  const forget = db.prepare(`delete from fingerprints as f where ${passed}`);
  return (input) =>
    sightings.asking(() => {
      const { target, sync } = input;
      for (let after = ""; ;) {
        const last = all(keyRow, block, { target, sync, after }).at(-1)?.key;
        if (last === undefined) return;
        const asked = { ...input, after, last };
        db.write(() => {
          forgetFields.run(asked);
          forget.run(asked);
        });
        after = last;
      }
    });
}

/** Indexes in the order of their keys, so that the B-tree's pages are visited once; equal keys in that of their rows. */
function inKeyOrder(keys: readonly string[]): readonly number[] {
  return keys
    .map((key, index) => ({ key, index }))
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.index - b.index))
    .map(({ index }) => index);
}

/** The fingerprints of a SQLite store. */
export function createFingerprintStore(db: Database, sightings: Sightings): FingerprintStore {
  const sets = createFingerprintSets(db);
  const retire = db.prepare(
    `update fingerprint_sets set valid_after = (select coalesce(max(send), 0) from sends)
     where target = $target and sync = $sync`,
  );
  const hasRepeats = db.prepare(
    `select count(*) from (select 1 from fingerprints f join fingerprint_sets s on s.id = set_id
       where target = $target and sync = $sync and send < -valid_after limit 1)`,
  );
  const isStaging = db.prepare(
    `select count(*) from sends
     where run_id = $runId and chunk = $chunk and stage = $stage and state = 'staging'`,
  );
  const lookUp = createLookUp(db);
  const judge = createJudge(db);
  const doubts = createDoubts(db);
  return {
    stageKeys: (input) => {
      const { target, sync, runId, chunk, stage, send, keys } = input;
      const verdicts = new Uint8Array(keys.length);
      const lost = new FieldLosses();
      const judgeSome = (order: readonly number[]): void => {
        if (count(isStaging, { runId, chunk, stage }) !== 1) throw superseded(input);
        const found = sets.have({ target, sync });
        const setId = found.id;
        const seen = sightings.begin({ setId, runId, send });
        const newestOf = (id: number): number => sightings.newestOf(setId, id);
        const set = { ...found, isDoubted: doubts.ofSet(setId), lost, newestOf, ...seen };
        let { nextId } = found;
        const drawId = (): number => nextId++;
        const known = lookUp(input, { setId, order });
        for (const [place, index] of order.entries()) {
          // What was known of a key may have changed with its row before this one.
          const isAgain = place > 0 && keys[index] === keys[order[place - 1] ?? index];
          const rows = isAgain ? lookUp(input, { setId, order: [index] }) : known;
          verdicts[index] = judge(input, set, { index, known: rows.get(index), drawId });
        }
        if (nextId !== found.nextId) sets.setNextId({ id: setId, nextId });
        seen.end();
      };
      const order = inKeyOrder(keys);
      sightings.asking(() => {
        for (let start = 0; start < order.length; start += transactionRowsMax) {
          db.write(() => judgeSome(order.slice(start, start + transactionRowsMax)));
        }
      });
      return { verdicts, lost: lost.all() };
    },
    hasRepeats: (name) => count(hasRepeats, name) > 0,
    forgetSeenBefore: createForgettingSeen(db, sightings),
    forgetFingerprints: (name) =>
      db.write(() => {
        sets.have(name);
        retire.run(name);
      }),
  };
}
