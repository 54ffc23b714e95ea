import { z } from "zod";

import { transactionRowsMax } from "../../../limits.ts";
import {
  type FingerprintStore,
  type KeysToStage,
  verdict,
} from "../../contract/keys/fingerprints.ts";
import type { Database } from "../database.ts";
import { all, count } from "../database.ts";
import { createDoubts } from "../doubts/doubts.ts";
import { superseded } from "../sends/sends.ts";
import { ageSql } from "./ages.ts";
import { FieldLosses } from "./field-keeper.ts";
import { createFingerprintSets } from "./fingerprint-sets.ts";
import { createJudge, type JudgedSet } from "./judge.ts";
import { createFindingUnchanged } from "./known-unchanged.ts";
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

/** Judges those keys of a call that it can, and answers their places; the caller holds the transaction. */
type JudgeKeys = (input: KeysToStage, set: JudgedSet, verdicts: Uint8Array) => ReadonlySet<number>;

/** Judges in one statement the keys that are unchanged, or were in this run before. */
function createJudgingUnchanged(db: Database, sightings: Sightings): JudgeKeys {
  const find = createFindingUnchanged(db);
  return (input, set, verdicts) => {
    const { full, ages, begunAt, rejectDuplicates, rowNumbers, runId, send } = input;
    const isByItself = full || ages !== undefined || begunAt !== undefined;
    if (isByItself || set.isDoubted !== undefined) return new Set();
    const { indexes, ids } = find(input, set);
    const seen = indexes.flatMap((index, at) => {
      const id = ids[at] ?? 0;
      const isDuplicate = rejectDuplicates && set.isSeen(id);
      verdicts[index] = isDuplicate ? verdict.duplicate : verdict.unchanged;
      return isDuplicate ? [] : [{ id, rowNumber: rowNumbers[index] ?? 0 }];
    });
    if (seen.length > 0) {
      sightings.fold({ setId: set.id, runId });
      sightings.note(
        { setId: set.id, send },
        {
          ids: Uint32Array.from(seen, ({ id }) => id),
          rowNumbers: Uint32Array.from(seen, ({ rowNumber }) => rowNumber),
        },
      );
    }
    return new Set(indexes);
  };
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
  const judgeUnchanged = createJudgingUnchanged(db, sightings);
  const judge = createJudge(db);
  const doubts = createDoubts(db);
  return {
    stageKeys: (input) => {
      const { target, sync, runId, chunk, stage, keys } = input;
      const verdicts = new Uint8Array(keys.length);
      const lost = new FieldLosses();
      const ofStaging = (work: (set: JudgedSet) => void): void =>
        db.write(() => {
          if (count(isStaging, { runId, chunk, stage }) !== 1) throw superseded(input);
          const set = sets.have({ target, sync });
          const setId = set.id;
          const isSeen = input.rejectDuplicates ? sightings.ofRun({ setId, runId }) : () => false;
          const newestOf = input.ages === undefined ? undefined : sightings.newestOf(setId);
          work({ ...set, isDoubted: doubts.ofSet(setId), lost, isSeen, newestOf });
        });
      if (keys.length === 0) return { verdicts, lost: [] };
      let judged: ReadonlySet<number> = new Set();
      ofStaging((set) => {
        judged = judgeUnchanged(input, set, verdicts);
      });
      // In key order the B-tree's pages are visited once; equal keys keep the order of their rows.
      const order = Array.from(keys, (key, index) => ({ key, index }))
        .filter(({ index }) => !judged.has(index))
        .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.index - b.index));
      for (let start = 0; start < order.length; start += transactionRowsMax) {
        ofStaging((set) => {
          let { nextId } = set;
          const drawId = (): number => nextId++;
          for (const { index } of order.slice(start, start + transactionRowsMax)) {
            verdicts[index] = judge(input, set, { index, drawId });
          }
          if (nextId !== set.nextId) sets.setNextId({ id: set.id, nextId });
        });
      }
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
