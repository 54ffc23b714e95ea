import { hash } from "node:crypto";

import { z } from "zod";

import { hashBytes } from "../../contract/keys/fingerprints.ts";
import type { KeyFilter } from "../../rules/keys/drawn-keys.ts";
import { tagBytes } from "../../rules/keys/key-hashes.ts";
import { wordsOf } from "../../rules/keys/staged-index.ts";
import type { Database } from "../database.ts";
import { count } from "../database.ts";
import type { KeysWithHashes } from "./staged/staged-keys.ts";

/** Keys of a block: their ids begin after a multiple of it. The triggers of the schema name it, too. */
const keysPerBlock = 64;

/** Bytes of a digest: as many as of a record's hash. */
const digestBytes = hashBytes;

/** A send, and how many consecutive fingerprints have it, by turns. */
const sendRuns = z
  .string()
  .transform((text): unknown => JSON.parse(text))
  .pipe(z.array(z.int()));

const blockRow = z.object({ block: z.int(), digest: z.instanceof(Uint8Array), sends: sendRuns });

/** Where a look-up puts what it has found of a key: see `FoundKeys`. */
type Found = { readonly ids: (number | null)[]; readonly sends: number[] };

/** Keys in an order: indexes, ascending. A filter has every key with a fingerprint, as in a look-up. */
type OrderedKeys = KeysWithHashes & {
  readonly setId: number;
  readonly order: readonly number[];
  readonly drawn?: KeyFilter | undefined;
};

/**
 * Digests of blocks of fingerprints, each of 64 consecutive ids. A source that is read in the order of its first load
 * brings the keys of a block together. If their hashes and those of their records have the digest, all of them are
 * known, and none is searched in the table, whose order is another. This finds exactly what a search would find, as a
 * digest is removed with each change or removal of a fingerprint of its block (by triggers).
 */
export type KnownBlocks = {
  /** Puts the ids and sends of keys that are in known blocks at their places. */
  find(this: void, keys: OrderedKeys, found: Found): void;
  /**
   * Keeps the digests of blocks that begin at some places, of keys that were looked up in the same transaction. The id
   * of a fingerprint with the hash of the record is positive.
   */
  keepFound(
    this: void,
    keys: OrderedKeys,
    found: Found & { readonly places: readonly number[] },
  ): void;
  /** Keeps the digests of new keys, each of which was written once, with this id and send. */
  keepNew(this: void, keys: KeysWithHashes & { readonly setId: number }, of: NewKeys): void;
  /** How many fingerprints of a set were ever changed or removed. */
  changesOf(this: void, setId: number): number;
};

type NewKeys = { readonly ids: Int32Array; readonly send: number };

/** Makes the function that digests the keys from an index on, as many as a block has. */
function createDigesting(): (keys: KeysWithHashes, from: number) => Buffer {
  const numberBytes = BigInt64Array.BYTES_PER_ELEMENT;
  const whole = new Uint8Array(keysPerBlock * (numberBytes + tagBytes + hashBytes));
  return ({ hashed: { numbers, tags }, hashes }, from) => {
    const to = from + keysPerBlock;
    whole.set(
      new Uint8Array(
        numbers.buffer,
        numbers.byteOffset + from * numberBytes,
        keysPerBlock * numberBytes,
      ),
    );
    whole.set(tags.subarray(from * tagBytes, to * tagBytes), keysPerBlock * numberBytes);
    const ofKeys = keysPerBlock * (numberBytes + tagBytes);
    whole.set(hashes.subarray(from * hashBytes, to * hashBytes), ofKeys);
    return hash("sha256", whole, "buffer").subarray(0, digestBytes);
  };
}

const isFirstOfBlock = (id: number): boolean => (id - 1) % keysPerBlock === 0;

const blockOf = (id: number): number => Math.floor((id - 1) / keysPerBlock);

/** Whether the keys from a place on have consecutive indexes, as many as a block has. */
function areTogether(order: readonly number[], place: number): boolean {
  const last = order[place + keysPerBlock - 1];
  return last !== undefined && last - (order[place] ?? 0) === keysPerBlock - 1;
}

/** Whether ids from a place on are those of one block, in their order. */
function isBlock(ids: { readonly [place: number]: number | null }, place: number): boolean {
  const id = ids[place] ?? 0;
  if (id <= 0 || !isFirstOfBlock(id)) return false;
  for (let on = 1; on < keysPerBlock; on += 1) if (ids[place + on] !== id + on) return false;
  return true;
}

/** The runs of equal sends from a place on. */
function runsOf(sends: readonly number[], place: number): number[] {
  const runs: number[] = [];
  for (const send of sends.slice(place, place + keysPerBlock)) {
    if (runs.at(-2) === send) runs.push((runs.pop() ?? 0) + 1);
    else runs.push(send, 1);
  }
  return runs;
}

/** Puts one send, or runs of them, at the places of a block. */
function putBlock(
  { ids, sends }: Found,
  place: number,
  block: { id: number; runs: readonly number[] },
): void {
  let on = 0;
  for (let at = 0; at < block.runs.length; at += 2) {
    const [send = 0, length = 0] = block.runs.slice(at, at + 2);
    for (const end = on + length; on < end; on += 1) {
      ids[place + on] = block.id + on;
      sends[place + on] = send;
    }
  }
}

/** Keys that are passed over, at most, after one that leads to no known block: a probe takes as long as three keys. */
const passedMax = 1_024;

function createFind(
  db: Database,
  digestOf: ReturnType<typeof createDigesting>,
): KnownBlocks["find"] {
  const isAny = db.prepare("select exists (select 1 from known_blocks where set_id = $setId)");
  const idOf = db.prepare(
    "select id from fingerprints where set_id = $setId and number = $number and tag = $tag",
  );
  const from = db.prepare(
    "select block, digest, sends from known_blocks where set_id = $setId and block >= $block order by block",
  );
  const probe = ({ setId, hashed, drawn }: OrderedKeys, index: number): number => {
    if (drawn?.has(wordsOf(hashed), index) === false) return 0;
    const { numbers, tags } = hashed;
    const tag = tags.subarray(index * tagBytes, (index + 1) * tagBytes);
    return count(idOf, { setId, number: numbers[index] ?? 0n, tag });
  };
  /** Finds the blocks from an id on whose keys come one after another; returns the place after them. */
  const findFrom = (
    keys: OrderedKeys,
    found: Found,
    first: { place: number; id: number },
  ): number => {
    let { place, id } = first;
    for (const row of from.iterate({ setId: keys.setId, block: blockOf(id) })) {
      const { block, digest, sends } = blockRow.parse(row);
      if (block !== blockOf(id) || !areTogether(keys.order, place)) break;
      if (!digestOf(keys, keys.order[place] ?? 0).equals(digest)) break;
      putBlock(found, place, { id, runs: sends });
      [place, id] = [place + keysPerBlock, id + keysPerBlock];
    }
    return place;
  };
  return (keys, found) => {
    const { setId, order } = keys;
    if (count(isAny, { setId }) === 0) return;
    let passed = keysPerBlock;
    for (let place = 0; place + keysPerBlock <= order.length;) {
      const id = probe(keys, order[place] ?? 0);
      // The first key of the next block.
      const before = id === 0 ? 0 : (keysPerBlock - ((id - 1) % keysPerBlock)) % keysPerBlock;
      const first = { place: place + before, id: id + before };
      const after = id === 0 ? first.place : findFrom(keys, found, first);
      if (after > first.place) passed = keysPerBlock;
      place = after + passed;
      passed = Math.min(2 * passed, passedMax);
    }
  };
}

/** The known blocks of a SQLite store. */
export function createKnownBlocks(db: Database): KnownBlocks {
  const digestOf = createDigesting();
  const put = db.prepare(
    `insert or replace into known_blocks (set_id, block, digest, sends)
     values ($setId, $block, $digest, $sends)`,
  );
  const changes = db.prepare("select changes from changed_sets where set_id = $setId");
  return {
    find: createFind(db, digestOf),
    keepFound: (keys, { ids, sends, places }) => {
      const { setId, order } = keys;
      for (const place of places) {
        if (!isBlock(ids, place) || !areTogether(order, place)) continue;
        put.run({
          setId,
          block: blockOf(ids[place] ?? 0),
          digest: digestOf(keys, order[place] ?? 0),
          sends: JSON.stringify(runsOf(sends, place)),
        });
      }
    },
    keepNew: (keys, { ids, send }) => {
      const sends = JSON.stringify([send, keysPerBlock]);
      for (let place = 0; place + keysPerBlock <= ids.length; place += 1) {
        if (!isBlock(ids, place)) continue;
        const block = blockOf(ids[place] ?? 0);
        put.run({ setId: keys.setId, block, digest: digestOf(keys, place), sends });
        place += keysPerBlock - 1;
      }
    },
    changesOf: (setId) => count(changes, { setId }),
  };
}
