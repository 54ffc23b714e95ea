import { z } from "zod";

import { transactionRowsMax } from "../../../limits.ts";
import {
  rowNumbersMax,
  type KeysToStage,
  hashBytes,
  verdict,
  type FingerprintStore,
} from "../../contract/keys/fingerprints.ts";
import type { Database, Statement } from "../database.ts";
import { all, count, first } from "../database.ts";
import { createDoubts } from "../doubts/doubts.ts";
import { superseded } from "../sends/sends.ts";
import { createFieldKeeper, FieldLosses } from "./field-keeper.ts";
import { createFingerprintSets, type FingerprintSet } from "./fingerprint-sets.ts";

/** The staging that an age names, in SQL. */
export const sendOfSeen = (age: string): string => `cast(${age} / ${rowNumbersMax} as integer)`;

/**
 * How old a row is: of two rows of a sync the later one has the greater age, by the number of its staging and
 * its own in that.
 */
export function ageOf(send: number, rowNumber: number): number {
  return send * rowNumbersMax + rowNumber;
}

/** The staging that an age names. */
function sendOf(age: number): number {
  return Math.floor(age / rowNumbersMax);
}

/** An age in SQL. */
export const ageSql = (send: string, rowNumber: string): string =>
  `${send} * ${rowNumbersMax} + coalesce(${rowNumber}, 0)`;

const sendFacts = z.object({
  runId: z.string(),
  state: z.string(),
  committedAt: z.int().nullable(),
});

type SendFacts = z.output<typeof sendFacts>;

/** Whether the service holds what a fingerprint says of a send; what was not accepted of one that was cut has none. */
function isAccepted(facts: SendFacts | undefined): boolean {
  return facts?.state === "committed" || facts?.state === "cut";
}

/** Looks up sends; those in a final state are remembered, because every row asks. */
function createSendFacts(db: Database): (send: number) => SendFacts | undefined {
  const select = db.prepare(
    "select run_id as runId, state, committed_at as committedAt from sends where send = $send",
  );
  const final = new Map<number, SendFacts>();
  return (send) => {
    const remembered = final.get(send);
    if (remembered !== undefined) return remembered;
    const facts = first(sendFacts, select, { send });
    if (facts !== undefined && (isAccepted(facts) || facts.state === "dropped")) {
      if (final.size >= 10_000) final.clear();
      final.set(send, facts);
    }
    return facts;
  };
}

/** Positional parameters, arrays and no schema here: these run once a row. */
function prepareRow(db: Database): Record<"select" | "put" | "see", Statement> {
  const select = db.prepare(
    "select hash, fields, send, seen, seen_before from fingerprints where set_id = ? and key = ?",
  );
  select.setReturnArrays(true);
  return {
    select,
    put: db.prepare(
      `insert into fingerprints (set_id, key, hash, fields, send, seen, seen_before) values (?, ?, ?, ?, ?, ?, ?)
       on conflict do update set hash = excluded.hash, fields = excluded.fields, send = excluded.send, seen =
         excluded.seen,
         seen_before = excluded.seen_before`,
    ),
    see: db.prepare(
      `insert into fingerprints (set_id, key, hash, send, seen, seen_before) values (?, ?, null, 0, ?, ?)
       on conflict do update set seen = excluded.seen, seen_before = excluded.seen_before`,
    ),
  };
}

/** Where the columns of `select` stand. */
const column = { hash: 0, fields: 1, send: 2, seen: 3, seenBefore: 4 } as const;

function isEqual(known: unknown, hash: Uint8Array): boolean {
  return known instanceof Uint8Array && Buffer.compare(known, hash) === 0;
}

/** What keys are judged against; `isDoubted` is undefined where nothing of the set is in doubt. */
type JudgedSet = FingerprintSet & {
  readonly isDoubted: ((key: string) => boolean) | undefined;
  readonly lost: FieldLosses;
};

/** Judges one key; the caller holds the transaction. */
function createJudge(db: Database): (input: KeysToStage, set: JudgedSet, index: number) => number {
  const { select, put, see } = prepareRow(db);
  const keepFields = createFieldKeeper(db);
  const factsOf = createSendFacts(db);
  /** Whether a send is one of this run's own and not given up: what it saw is part of this run. */
  const isOfRun = (send: number, runId: string): boolean => {
    const facts = send === 0 ? undefined : factsOf(send);
    return facts?.runId === runId && facts.state !== "dropped";
  };
  /** Whether this run sent the key before. One that it sent twice stays so, even if the second staging was given up. */
  const wasSent = (send: number, runId: string): boolean =>
    send < 0 ? factsOf(-send)?.runId === runId : isOfRun(send, runId);
  /**
   * Whether another run sent the key since a backfill began; one that it sent twice, in order, was sent all
   * the same.
   */
  const isSentSince = ({ begunAt = Infinity, runId }: KeysToStage, knownSend: number): boolean => {
    const sent = Math.abs(knownSend);
    const facts = sent > begunAt ? factsOf(sent) : undefined;
    return isAccepted(facts) && facts?.runId !== runId;
  };
  return (input, set, index) => {
    const { runId, send } = input;
    const key = input.keys[index] ?? "";
    const hash = input.hashes.subarray(index * hashBytes, (index + 1) * hashBytes);
    const found: unknown = select.get(set.id, key);
    const known: readonly unknown[] = Array.isArray(found) ? found : [];
    const knownSend = Number(known[column.send] ?? 0);
    const knownSeen = Number(known[column.seen] ?? 0);
    const age = input.ages?.[index];
    // `seen` may be of a staging that never counted.
    const isHeld = knownSeen > 0 && isAccepted(factsOf(sendOf(knownSeen)));
    const newest = isHeld ? knownSeen : Number(known[column.seenBefore] ?? 0);
    if (age !== undefined && newest > age) return verdict.superseded;
    if (input.rejectDuplicates && isOfRun(sendOf(knownSeen), runId)) return verdict.duplicate;
    // A replayed row does not grow newer by it: of two that are replayed apart, the later one still wins.
    const seen = age ?? ageOf(send, input.rowNumbers[index] ?? 0);

    const facts = knownSend > set.validAfter ? factsOf(knownSend) : undefined;
    const isKnown =
      facts !== undefined &&
      isAccepted(facts) &&
      (facts.committedAt ?? 0) >= (input.committedAfter ?? 0) &&
      set.isDoubted?.(key) !== true;
    if (isSentSince(input, knownSend)) return verdict.unchanged;
    if (!input.full && isKnown && isEqual(known[column.hash], hash)) {
      see.run(set.id, key, seen, newest);
      return verdict.unchanged;
    }
    if (input.dryRun) {
      see.run(set.id, key, seen, newest);
      return verdict.send;
    }
    // Twice in one run: a negative send never counts as committed, so the key stays unknown after the run.
    const isTwice = input.again?.[index] === true || wasSent(knownSend, runId);
    const now = isTwice ? -send : send;
    const wasTaken = Math.abs(knownSend) > set.validAfter;
    const lost = wasTaken ? set.lost : undefined;
    const fields = keepFields({ known: known[column.fields], index, lost }, input.fields);
    put.run(set.id, key, hash, fields, now, seen, newest);
    return verdict.send;
  };
}

const keyRow = z.object({ key: z.string() });

/**
 * Prepares the removal of what was last seen before a run; a block of keys at a time, so that other writers
 * get their turn.
 */
function createForgettingSeen(db: Database): FingerprintStore["forgetSeenBefore"] {
  const ofSet =
    "set_id = (select id from fingerprint_sets where target = $target and sync = $sync)";
  const block = db.prepare(
    `select key from fingerprints where ${ofSet} and key > $after order by key limit ${transactionRowsMax}`,
  );
  const passed = `${ofSet} and key > $after and key <= $last
    and seen < (select ${ageSql("min(send)", "0")} from sends where run_id = $runId)`;
  const forgetFields = db.prepare(
    `delete from field_hashes where id in (select fields from fingerprints where ${passed})`,
  );
  const forget = db.prepare(`delete from fingerprints where ${passed}`);
  return (input) => {
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
  };
}

/** The fingerprints of a SQLite store. */
export function createFingerprintStore(db: Database): FingerprintStore {
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
  const judge = createJudge(db);
  const doubts = createDoubts(db);
  return {
    stageKeys: (input) => {
      const { target, sync, runId, chunk, stage, keys } = input;
      const verdicts = new Uint8Array(keys.length);
      const lost = new FieldLosses();
      // In key order the B-tree's pages are visited once; equal keys keep the order of their rows.
      const order = Array.from(keys, (key, index) => ({ key, index })).toSorted((a, b) =>
        a.key < b.key ? -1 : a.key > b.key ? 1 : a.index - b.index,
      );
      for (let start = 0; start < order.length; start += transactionRowsMax) {
        db.write(() => {
          if (count(isStaging, { runId, chunk, stage }) !== 1) throw superseded(input);
          const found = sets.have({ target, sync });
          const set = { ...found, isDoubted: doubts.ofSet(found.id), lost };
          for (const { index } of order.slice(start, start + transactionRowsMax)) {
            verdicts[index] = judge(input, set, index);
          }
        });
      }
      return { verdicts, lost: lost.all() };
    },
    hasRepeats: (name) => count(hasRepeats, name) > 0,
    forgetSeenBefore: createForgettingSeen(db),
    forgetFingerprints: (name) =>
      db.write(() => {
        sets.have(name);
        retire.run(name);
      }),
  };
}
