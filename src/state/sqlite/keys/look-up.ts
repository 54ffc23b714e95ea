import { z } from "zod";

import { hashBytes } from "../../contract/keys/fingerprints.ts";
import type { KeyFilter } from "../../rules/keys/drawn-keys.ts";
import type { FoundKeys } from "../../rules/keys/judge.ts";
import {
  byNumber,
  bytesInOrder,
  type HashedKeys,
  numbersJson,
  tagBytes,
} from "../../rules/keys/key-hashes.ts";
import { wordsOf } from "../../rules/keys/staged-index.ts";
import type { Database } from "../database.ts";
import { count } from "../database.ts";
import { createKnownBlocks } from "./known-blocks.ts";

/** Keys of one set, each once, with the hashes of their records. */
export type KeysToLookUp = {
  readonly setId: number;
  readonly hashed: HashedKeys;
  /** `hashBytes` for each key. */
  readonly hashes: Uint8Array;
  /** Indexes of the keys that are looked up, in ascending order. */
  readonly order: readonly number[];
  /** A filter that has every key with a fingerprint. @default any key may have one */
  readonly drawn?: KeyFilter | undefined;
  /** Whether the transaction may write: then blocks that were looked up key by key are kept as a whole. */
  readonly mayWrite?: boolean;
};

/** The conditions under which a fingerprint makes its record known. */
export type WhatIsKnown = {
  /** Sends up to this one no longer count. */
  readonly validAfter: number;
  /** Sends committed before this time (Unix ms) are too old to count. */
  readonly committedAfter: number;
};

/** Looks up keys in one statement. */
export type LookUp = (keys: KeysToLookUp, what: WhatIsKnown) => FoundKeys;

const lists = z.tuple([z.string(), z.string()]);
// Not checked one by one: these lists are the store's own, with an entry for each row of a run.
const numbersOrNone = z.custom<readonly (number | null)[]>(Array.isArray);

/** Makes a function that returns whether a send counts. It queries each send of a look-up once: neighbours share it. */
function createCounting(db: Database): (what: WhatIsKnown) => (send: number) => boolean {
  const select = db.prepare(
    `select count(*) from stagings where send = $send and send > $validAfter and state in ('committed', 'cut')
       and committed_at >= $committedAfter`,
  );
  return (what) => {
    const asked = new Map<number, boolean>();
    return (send) => {
      let counts = asked.get(send);
      if (counts === undefined) asked.set(send, (counts = count(select, { send, ...what }) === 1));
      return counts;
    };
  };
}

/** The place of each of some indexes in their order. */
function placesOf(order: readonly number[], size: number): Int32Array {
  const places = new Int32Array(size);
  for (let place = 0; place < order.length; place += 1) places[order[place] ?? 0] = place;
  return places;
}

/** Makes the look-up of a SQLite store. */
export function createLookUp(db: Database): LookUp {
  const blocks = createKnownBlocks(db);
  // It names the known records, so that any record that it does not mention is sent. It returns two lists and not a row
  // for each key, which took most of its time; the keys stay in their order, because everything is left-joined to them.
  const select = db.prepare(
    `select json_group_array(iif(f.hash is substr($hashes, k.key * ${hashBytes} + 1, ${hashBytes}), f.id, -f.id)),
       json_group_array(f.send)
     from json_each($numbers) k
     left join fingerprints f on f.set_id = $setId and f.number = k.value
       and f.tag = substr($tags, k.key * ${tagBytes} + 1, ${tagBytes})`,
  );
  select.setReturnArrays(true);
  const countingOf = createCounting(db);
  const selectSome = ({ setId, hashed, hashes }: KeysToLookUp, sorted: readonly number[]) => {
    const found = lists.parse(
      select.get({
        setId,
        numbers: numbersJson(hashed, sorted),
        tags: bytesInOrder(hashed.tags, tagBytes, sorted),
        hashes: bytesInOrder(hashes, hashBytes, sorted),
      }),
    );
    const [ids, sends] = found.map((list) => numbersOrNone.parse(JSON.parse(list)));
    return { ids, sends };
  };
  return (keys, what) => {
    const { hashed, order, drawn, mayWrite = false } = keys;
    const ids = Array<number | null>(order.length).fill(null);
    const sends = Array<number>(order.length).fill(0);
    const words = wordsOf(hashed);
    blocks.find(keys, { ids, sends });
    const asked: number[] = [];
    for (let place = 0; place < order.length; place += 1) {
      const isAsked = ids[place] === null && drawn?.has(words, order[place] ?? 0) !== false;
      if (isAsked) asked.push(place);
    }
    if (asked.length > 0) {
      const places = placesOf(order, hashed.numbers.length);
      const indexes = asked.map((place) => order[place] ?? 0);
      // Keys do not come in the order of the table; looked up in its order, they take half as long.
      const sorted = byNumber(hashed.numbers, indexes);
      const found = selectSome(keys, sorted);
      for (let at = 0; at < sorted.length; at += 1) {
        const place = places[sorted[at] ?? 0] ?? 0;
        ids[place] = found.ids?.[at] ?? null;
        sends[place] = found.sends?.[at] ?? 0;
      }
      if (mayWrite) blocks.keepFound(keys, { ids, sends, places: asked });
    }
    const counts = countingOf(what);
    for (let place = 0; place < order.length; place += 1) {
      const id = ids[place] ?? 0;
      if (id > 0 && !counts(sends[place] ?? 0)) ids[place] = -id;
    }
    return { ids, sends };
  };
}
