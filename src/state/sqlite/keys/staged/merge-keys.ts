import { z } from "zod";

import { hashBytes } from "../../../contract/keys/fingerprints.ts";
import { sent } from "../../../rules/keys/judge.ts";
import { byNumber, bytesInOrder, numbersJson, tagBytes } from "../../../rules/keys/key-hashes.ts";
import { StagedIndex, wordsOf } from "../../../rules/keys/staged-index.ts";
import { keysPerTransactionMax } from "../../../rules/keys/steps.ts";
import type { Database } from "../../database.ts";
import { all, count, first } from "../../database.ts";
import { idsPerSet } from "../field-keeper.ts";
import { createKnownBlocks } from "../known-blocks.ts";
import { blockColumns, hasLeftSql, keyBlock, type StagingOfSet } from "./staged-keys.ts";

/**
 * Takes what stagings made of their keys into the fingerprints, or forgets it.
 *
 * All keys of a staging are written before the transaction that commits it, some thousand at a time, and only once
 * every part of it is accepted. A process that is killed in between leaves nothing wrong: a key that is written names a
 * send that is not committed, and says nothing; a key that is not written has its older fingerprint, but the block of
 * the staging is still there, and makes each of its keys unknown to whoever judges it. The block is removed in the
 * transaction that makes the send count and moves the checkpoint, so that no key is known before it was accepted.
 * Writing the keys again changes nothing.
 */
export type KeyMerging = {
  /**
   * The steps that write the keys of a staging: each is called inside a transaction of its own, which makes sure that
   * the staging is unchanged.
   */
  steps(this: void, of: StagingOfSet): readonly (() => void)[];
  /** Forgets the blocks of a staging; to be called inside a transaction. */
  forget(this: void, of: StagingOfSet): void;
  /**
   * Settles the keys that abandoned stagings left behind, of a set or of all: a staging of which nothing left is
   * forgotten, and each key of the others becomes unknown.
   */
  settle(this: void, setId?: number | null): void;
};

/** Keys of a staging, in the order of its blocks. */
type GatheredKeys = z.output<typeof keyBlock> & {
  readonly setId: number;
  readonly hashes: Uint8Array;
};

const bytes = z.instanceof(Uint8Array);

const wholeRow = z.object({
  setId: z.int(),
  numbers: bytes,
  tags: bytes,
  hashes: bytes,
  ids: bytes,
  times: bytes,
});

/** The blocks of a staging as one; undefined if it has none. */
function gather(blocks: readonly z.output<typeof wholeRow>[]): GatheredKeys | undefined {
  const [head] = blocks;
  if (head === undefined) return undefined;
  const whole = (column: "numbers" | "tags" | "hashes" | "ids" | "times"): Uint8Array =>
    Buffer.concat(blocks.map((block) => block[column]));
  const keys = keyBlock.parse({
    numbers: whole("numbers"),
    tags: whole("tags"),
    ids: whole("ids"),
    times: whole("times"),
  });
  return { ...keys, setId: head.setId, hashes: whole("hashes") };
}

/** The indexes of the keys, each once, by its last entry, in the order in which they are written. */
function inOrder({ hashed, ids }: GatheredKeys): number[] {
  const words = wordsOf(hashed);
  const last = new StagedIndex(ids.length);
  for (let index = 0; index < ids.length; index += 1) {
    last.set(words, index, { id: index, send: 0 });
  }
  return byNumber(hashed.numbers, last.ids());
}

/** The digits of an id that a statement reads from a block. */
const idDigits = 10;

function idTexts(ids: Int32Array, order: readonly number[]): Uint8Array {
  const texts = new Uint8Array(order.length * idDigits).fill(0x20);
  for (let place = 0; place < order.length; place += 1) {
    let rest = ids[order[place] ?? 0] ?? 0;
    for (let at = (place + 1) * idDigits - 1; rest > 0; at -= 1) {
      texts[at] = 0x30 + (rest % 10);
      rest = Math.floor(rest / 10);
    }
  }
  return texts;
}

/**
 * The send of a fingerprint `f` after a staging ($send) of a run whose first staging is $since; `otherwise` if no other
 * staging of the run sends the key. If another one does, the key is sent twice, in whatever order the two are accepted:
 * its send becomes that of the newest of them, negated, which never counts. It stays so if the staging that found the
 * key staged was abandoned after it had left, and if the keys of a staging are written again. The same holds for a key
 * that a later run sent, although no lock allows that.
 */
export function sendAfterSql(otherwise: string): string {
  return `iif(abs(f.send) >= $since and f.send <> $send and (f.send < 0 or exists (
    select 1 from stagings other where other.send = abs(f.send) and other.state <> 'dropped')),
    -max(abs(f.send), $send), ${otherwise})`;
}

/** The first staging of the run to which a staging belongs. */
export const sinceSql =
  "select min(send) as since from stagings where run_id = (select run_id from stagings where send = $send)";

/**
 * Until a statement ends, SQLite keeps a copy of each page that it changes, in memory here (`transactions.ts`): with
 * many keys, nearly each key has a page of its own.
 */
const keysPerStatementMax = 1_000;

/** Makes the function that writes some keys of a staging; to be called inside a transaction. */
function createPutting(
  db: Database,
): (keys: GatheredKeys & { readonly send: number }, order: readonly number[]) => void {
  // The key of a refused record was updated when the record was refused.
  const put = db.prepare(
    `insert into fingerprints as f (set_id, number, tag, hash, send, id)
     select $setId, k.value, substr($tags, k.key * ${tagBytes} + 1, ${tagBytes}),
       substr($hashes, k.key * ${hashBytes} + 1, ${hashBytes}), $send * $times,
       cast(substr($ids, k.key * ${idDigits} + 1, ${idDigits}) as integer)
     from json_each($numbers) k where true
     on conflict do update set hash = excluded.hash,
       send = ${sendAfterSql("excluded.send")}
     where $times <> ${sent.refused}`,
  );
  const since = db.prepare(sinceSql);
  const ofFields = "send = $send and id in (select $before + value from json_each($ids))";
  const isAnyField = db.prepare("select exists (select 1 from staged_fields)");
  const putFields = db.prepare(
    `insert or replace into field_hashes (id, hashes) select id, hashes from staged_fields where ${ofFields}`,
  );
  const forgetFields = db.prepare(`delete from staged_fields where ${ofFields}`);
  return ({ setId, send, hashed, hashes, ids, times }, order) => {
    const known = { setId, send, since: count(since, { send }) };
    for (const often of Object.values(sent)) {
      const those = order.filter((index) => times[index] === often);
      for (let from = 0; from < those.length; from += keysPerStatementMax) {
        const some = those.slice(from, from + keysPerStatementMax);
        put.run({
          ...known,
          times: often,
          numbers: numbersJson(hashed, some),
          tags: bytesInOrder(hashed.tags, tagBytes, some),
          hashes: bytesInOrder(hashes, hashBytes, some),
          ids: idTexts(ids, some),
        });
      }
    }
    if (count(isAnyField) === 0) return;
    const fieldsOf = (some: readonly number[]) => ({
      send,
      before: setId * idsPerSet,
      ids: JSON.stringify(some.map((index) => ids[index])),
    });
    // Not the fields of a refused record: they could overwrite those that another lane staged meanwhile.
    putFields.run(fieldsOf(order.filter((index) => times[index] !== sent.refused)));
    forgetFields.run(fieldsOf(order));
  };
}

const drawnRow = z.object({ setId: z.int(), firstId: z.int(), drawn: z.int(), ids: bytes });

/** Makes the function that forgets a block of which nothing left, with the fields kept for it; inside a transaction. */
function createDiscarding(db: Database): (block: { number: number; send: number }) => void {
  const select = db.prepare(
    `select set_id as setId, first_id as firstId, drawn, ids from staged_keys where number = $number`,
  );
  const forgetDrawn = db.prepare("delete from field_hashes where id >= $from and id < $to");
  const forgetFields = db.prepare(
    "delete from staged_fields where send = $send and id in (select $before + value from json_each($ids))",
  );
  const forget = db.prepare("delete from staged_keys where number = $number");
  return ({ number, send }) => {
    const found = first(drawnRow, select, { number });
    if (found === undefined) return;
    const { setId, firstId, drawn, ids } = found;
    const before = setId * idsPerSet;
    forgetDrawn.run({ from: before + firstId, to: before + firstId + drawn });
    const list = JSON.stringify([...new Int32Array(ids.slice().buffer)]);
    forgetFields.run({ send, before, ids: list });
    forget.run({ number });
  };
}

const givenUpRow = z.object({
  setId: z.int(),
  send: z.int(),
  hasLeft: z.int().transform(Boolean),
});

const numberRow = z.object({ number: z.int() });

/** Makes the functions that take over the keys of stagings. */
export function createKeyMerging(db: Database): KeyMerging {
  const knownBlocks = createKnownBlocks(db);
  const ofStaging = "set_id = $setId and send = $send";
  const blocks = db.prepare(
    `select set_id as setId, ${blockColumns}, hashes from staged_keys where ${ofStaging} order by number`,
  );
  const numbers = db.prepare(`select number from staged_keys where ${ofStaging} order by number`);
  const isThere = db.prepare(`select exists (select 1 from staged_keys where ${ofStaging})`);
  const forgetAll = db.prepare(`delete from staged_keys where ${ofStaging}`);
  const givenUp = db.prepare(
    `select distinct k.set_id as setId, k.send as send, s.send is null or ${hasLeftSql} as hasLeft
     from staged_keys k left join stagings s using (send)
     where ($setId is null or k.set_id = $setId) and (s.send is null or s.state = 'dropped')`,
  );
  const putSome = createPutting(db);
  const discard = createDiscarding(db);
  const steps: KeyMerging["steps"] = (of) => {
    const keys = gather(all(wholeRow, blocks, of));
    if (keys === undefined) return [];
    const order = inOrder(keys);
    const length = Math.ceil(order.length / keysPerTransactionMax);
    const { setId, ids, times } = keys;
    const isEachOnce = times.every((often) => often === sent.once);
    let changesBefore: number | undefined;
    return Array.from({ length }, (_, step) => () => {
      const from = step * keysPerTransactionMax;
      if (step === 0) changesBefore = knownBlocks.changesOf(setId);
      putSome({ ...keys, send: of.send }, order.slice(from, from + keysPerTransactionMax));
      // Nothing has changed or removed one of the keys since, and each of them was new.
      const areNew = knownBlocks.changesOf(setId) === changesBefore;
      if (step === length - 1 && isEachOnce && areNew)
        knownBlocks.keepNew(keys, { ids, send: of.send });
    });
  };
  const forget: KeyMerging["forget"] = (of) => void forgetAll.run(of);
  return {
    steps,
    forget,
    settle: (setId = null) => {
      for (const { hasLeft, ...of } of all(givenUpRow, givenUp, { setId })) {
        if (!hasLeft) {
          for (const { number } of all(numberRow, numbers, of)) {
            db.write(() => discard({ number, send: of.send }));
          }
          continue;
        }
        for (const step of steps(of)) {
          db.write(() => {
            // Another process may have settled it already.
            if (count(isThere, of) === 1) step();
          });
        }
        db.write(() => forget(of));
      }
    },
  };
}
