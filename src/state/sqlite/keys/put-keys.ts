import { hashBytes } from "../../contract/keys/fingerprints.ts";
import type { Database } from "../database.ts";
import { bytesOfSome, numbersJson, tagBytes } from "./key-hashes.ts";
import type { KeysToLookUp } from "./look-up.ts";

/** Fingerprints that are to be written, by the indexes of their rows. */
export type KeysToPut = {
  /** Of keys that have none yet: of those that the run sends for the first time, and for a further one. */
  readonly once: number[];
  readonly twice: number[];
  /** Of keys that have none yet, and that a dry run only sees. */
  readonly seen: number[];
  /** The same as `once` and `twice`, of keys that have one. */
  readonly onceMore: number[];
  readonly twiceMore: number[];
  /** The ids of the latter; below zero where it says nothing of what the service holds. */
  readonly before: Map<number, number>;
};

/** Writes fingerprints; to be called inside a transaction. */
export type PutKeys = (
  keys: Omit<KeysToLookUp, "order">,
  put: KeysToPut,
  how: { readonly send: number; readonly firstId: number },
) => {
  /** Ids that are new, by the indexes of their rows, in ascending order. */
  readonly drawn: ReadonlyMap<number, number>;
};

/** Prepares the writing of fingerprints into a SQLite store. */
export function createPutKeys(db: Database): PutKeys {
  // In the order of the table, so that each of its pages is visited once. An id is drawn only for a key that
  // has no fingerprint: of any other its own stays.
  const put = db.prepare(
    `insert into fingerprints (set_id, number, tag, hash, send, id)
     select $setId, k.value, substr($tags, k.key * ${tagBytes} + 1, ${tagBytes}),
       substr($hashes, k.key * ${hashBytes} + 1, ${hashBytes}), $send, $firstId + k.key
     from json_each($numbers) k where true order by k.value
     on conflict do update set hash = excluded.hash, send = excluded.send`,
  );
  return (
    { setId, hashed, hashes },
    { once, twice, seen, onceMore, twiceMore },
    { send, firstId },
  ) => {
    const putSome = (order: readonly number[], at: { send: number; firstId: number }): void => {
      if (order.length === 0) return;
      put.run({
        setId,
        numbers: numbersJson(hashed, order),
        tags: bytesOfSome(hashed.tags, tagBytes, order),
        hashes: at.send === 0 ? null : bytesOfSome(hashes, hashBytes, order),
        ...at,
      });
    };
    const drawn = new Map<number, number>();
    let nextId = firstId;
    for (const [order, now] of [
      [once, send],
      [twice, -send],
      [seen, 0],
    ] as const) {
      putSome(order, { send: now, firstId: nextId });
      for (const index of order) drawn.set(index, nextId++);
    }
    putSome(onceMore, { send, firstId: 0 });
    putSome(twiceMore, { send: -send, firstId: 0 });
    return { drawn };
  };
}
