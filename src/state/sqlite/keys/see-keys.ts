import {
  bytesOfSome,
  type HashedKeys,
  numbersJson,
  tagBytes,
} from "../../rules/keys/key-hashes.ts";
import type { Database } from "../database.ts";

/** Keys that have no fingerprint, by the indexes of their rows. */
export type KeysToSee = {
  readonly setId: number;
  readonly hashed: HashedKeys;
  readonly order: readonly number[];
  /** The id of the first; those of the others follow. */
  readonly firstId: number;
};

/**
 * Prepares fingerprints without a hash, for keys that a dry run only sees: they say nothing of what the service
 * holds, so they need not wait for a commit. To be called inside a transaction.
 */
export function createSeeingKeys(db: Database): (keys: KeysToSee) => void {
  const put = db.prepare(
    `insert into fingerprints (set_id, number, tag, hash, send, id)
     select $setId, k.value, substr($tags, k.key * ${tagBytes} + 1, ${tagBytes}), null, 0, $firstId + k.key
     from json_each($numbers) k where true order by k.value`,
  );
  return ({ setId, hashed, order, firstId }) => {
    if (order.length === 0) return;
    const numbers = numbersJson(hashed, order);
    put.run({ setId, numbers, tags: bytesOfSome(hashed.tags, tagBytes, order), firstId });
  };
}
