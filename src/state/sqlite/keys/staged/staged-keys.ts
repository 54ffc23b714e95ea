import { z } from "zod";

import { hashBytes } from "../../../contract/keys/fingerprints.ts";
import { sent } from "../../../rules/keys/judge.ts";
import { bytesInOrder, type HashedKeys, tagBytes } from "../../../rules/keys/key-hashes.ts";
import { StagedIndex, wordsOf } from "../../../rules/keys/staged-index.ts";
import type { Database } from "../../database.ts";
import { all } from "../../database.ts";

/** Keys that are staged, with the hashes of their records, `hashBytes` for each. */
export type KeysWithHashes = { readonly hashed: HashedKeys; readonly hashes: Uint8Array };

/** What a staging makes of its keys; to be used inside one transaction. */
export type KeyWriter = {
  /** What the undecided stagings, including this one, have made of keys. */
  readonly index: StagedIndex;
  /** Notes what becomes of one of the keys; the last note about a key counts. */
  put(this: void, index: number, id: number, times: number): void;
  /** Writes what was noted; `drawn` of the ids, from `firstId` on, are new. */
  end(this: void, ids: NewIds): void;
};

type NewIds = { readonly firstId: number; readonly drawn: number };

/** A staging, and the set of its sync. */
export type StagingOfSet = { readonly setId: number; readonly send: number };

/**
 * What stagings will make known, kept apart from the fingerprints until their commit: one block for each transaction,
 * in the order of staging. A staging that is abandoned before anything of it left has changed no fingerprint.
 */
export type StagedKeys = {
  /** To be called inside a transaction. */
  begin(at: StagingOfSet, keys: KeysWithHashes): KeyWriter;
  /**
   * Notes that the service refused a record of each of these keys of the staging, which makes none of them known. A key
   * that is sent twice stays so. To be called inside a transaction, whose failure needs no `readAnew`.
   */
  refuse(at: StagingOfSet, keys: KeysWithHashes): void;
  /** What the undecided stagings of a set have made of keys. */
  of(setId: number): StagedIndex;
  /** Forgets what was read inside a transaction that has failed. */
  readAnew(): void;
};

/** The bytes of a column in a buffer of their own, so that number arrays can start at its beginning. */
const bytes = z.instanceof(Uint8Array).transform((column) => new Uint8Array(column));

/** The columns of a block that say what becomes of its keys. */
export const blockColumns = "numbers, tags, ids, times";

/** A block as it is read. */
export const keyBlock = z
  .object({ numbers: bytes, tags: bytes, ids: bytes, times: bytes })
  .transform(({ numbers, tags, ids, times }) => ({
    hashed: { numbers: new BigInt64Array(numbers.buffer), tags },
    ids: new Int32Array(ids.buffer),
    times: new Int8Array(times.buffer),
  }));

/**
 * Whether something of a staging `s` left, in SQL. The receipts say so: a part is marked before its bytes leave, in a
 * transaction that checks whether its staging was abandoned.
 */
export const hasLeftSql = `exists (select 1 from receipts r
  where r.run_id = s.run_id and r.chunk = s.chunk and r.stage = s.stage and r.attempts > 0)`;

/** What becomes of keys, by their indexes; nothing if a key has no id. The later of two rows of a key counts. */
class Notes {
  readonly #ids: Int32Array;
  readonly #times: Int8Array;

  constructor({ numbers }: HashedKeys) {
    this.#ids = new Int32Array(numbers.length);
    this.#times = new Int8Array(numbers.length);
  }

  put(index: number, id: number, times: number): void {
    this.#ids[index] = id;
    this.#times[index] = times;
  }

  /** The indexes of the keys that have an id, and the columns of what was noted about them. */
  all(): {
    readonly order: readonly number[];
    readonly ids: Uint8Array;
    readonly times: Uint8Array;
  } {
    const order: number[] = [];
    for (let index = 0; index < this.#ids.length; index += 1) {
      if (this.#ids[index] !== 0) order.push(index);
    }
    const times = new Int8Array(order.length);
    for (let place = 0; place < order.length; place += 1) {
      times[place] = this.#times[order[place] ?? 0] ?? 0;
    }
    return { order, ids: bytesInOrder(bytesOf(this.#ids), idBytes, order), times: bytesOf(times) };
  }
}

/** What is written in one block. */
type Block = NewIds & { readonly notes: Notes };

const listedRow = z.object({ number: z.int(), send: z.int() });

/** The blocks of a set that were read, and their contents. */
type Read = { readonly numbers: number[]; readonly index: StagedIndex };

/** Makes a function that returns the blocks of a set; it reads those that were written since its last call. */
function createReading(db: Database, known: Map<number, Read>): (setId: number) => Read {
  // A staging that was abandoned before anything of it left does not count. One that left may have been taken.
  const list = db.prepare(
    `select k.number as number, k.send as send from staged_keys k left join stagings s using (send)
     where k.set_id = $setId and (s.state is not 'dropped' or ${hasLeftSql}) order by k.number`,
  );
  const block = db.prepare(`select ${blockColumns} from staged_keys where number = $number`);
  const add = ({ numbers, index }: Read, { number, send }: z.output<typeof listedRow>): void => {
    const { hashed, ids, times } = keyBlock.parse(block.get({ number }));
    const words = wordsOf(hashed);
    for (let at = 0; at < ids.length; at += 1) {
      index.set(words, at, { id: ids[at] ?? 0, send, times: times[at] ?? 0 });
    }
    numbers.push(number);
  };
  return (setId) => {
    const listed = all(listedRow, list, { setId });
    let found = known.get(setId);
    // The entries of an earlier staging may count again, now that a later one is gone.
    if (found?.numbers.every((number, at) => listed[at]?.number === number) !== true) {
      found = { numbers: [], index: new StagedIndex() };
    }
    known.set(setId, found);
    if (listed.length === 0) known.delete(setId);
    for (const one of listed.slice(found.numbers.length)) add(found, one);
    return found;
  };
}

/** Makes a function that reads the keys of one staging, with how often it sends each key in place of the send. */
function createReadingOwn(db: Database): (at: StagingOfSet) => StagedIndex {
  const blocks = db.prepare(
    `select ${blockColumns} from staged_keys where set_id = $setId and send = $send order by number`,
  );
  return ({ setId, send }) => {
    const index = new StagedIndex();
    for (const { hashed, ids, times } of all(keyBlock, blocks, { setId, send })) {
      const words = wordsOf(hashed);
      for (let at = 0; at < ids.length; at += 1) {
        index.set(words, at, { id: ids[at] ?? 0, send: times[at] ?? 0 });
      }
    }
    return index;
  };
}

/** Makes a function that writes a block and returns its number; undefined if nothing was noted. */
function createAppending(
  db: Database,
): (at: StagingOfSet, keys: KeysWithHashes, block: Block) => number | undefined {
  const insert = db.prepare(
    `insert into staged_keys (set_id, send, first_id, drawn, numbers, tags, hashes, ids, times)
     values ($setId, $send, $firstId, $drawn, $numbers, $tags, $hashes, $ids, $times)`,
  );
  return ({ setId, send }, { hashed, hashes }, { notes, firstId, drawn }) => {
    const { order, ids, times } = notes.all();
    if (order.length === 0) return undefined;
    const { lastInsertRowid } = insert.run({
      setId,
      send,
      firstId,
      drawn,
      numbers: bytesInOrder(bytesOf(hashed.numbers), numberBytes, order),
      tags: bytesInOrder(hashed.tags, tagBytes, order),
      hashes: bytesInOrder(hashes, hashBytes, order),
      ids,
      times,
    });
    return Number(lastInsertRowid);
  };
}

/** What stagings of a SQLite store will make known. */
export function createStagedKeys(db: Database): StagedKeys {
  const known = new Map<number, Read>();
  const read = createReading(db, known);
  const readOwn = createReadingOwn(db);
  const append = createAppending(db);
  return {
    of: (setId) => read(setId).index,
    readAnew: () => known.clear(),
    begin: ({ setId, send }, keys) => {
      const found = read(setId);
      const words = wordsOf(keys.hashed);
      const notes = new Notes(keys.hashed);
      return {
        index: found.index,
        put: (index, id, times) => {
          found.index.set(words, index, { id, send, times });
          notes.put(index, id, times);
        },
        end: (ids) => {
          const number = append({ setId, send }, keys, { notes, ...ids });
          if (number === undefined) return;
          found.numbers.push(number);
          known.set(setId, found);
        },
      };
    },
    refuse: (at, keys) => {
      const words = wordsOf(keys.hashed);
      const notes = new Notes(keys.hashed);
      const own = readOwn(at);
      for (const place of keys.hashed.numbers.keys()) {
        const entry = own.find(words, place);
        if (entry === -1 || own.sendAt(entry) === sent.twice) continue;
        notes.put(place, own.idAt(entry), sent.refused);
      }
      append(at, keys, { notes, firstId: 0, drawn: 0 });
    },
  };
}

/** Bytes of a key's number. */
const numberBytes = BigInt64Array.BYTES_PER_ELEMENT;

/** Bytes of an id. */
const idBytes = Int32Array.BYTES_PER_ELEMENT;

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
