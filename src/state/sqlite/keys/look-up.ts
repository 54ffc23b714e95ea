import { z } from "zod";

import { hashBytes } from "../../contract/keys/fingerprints.ts";
import type { FoundKeys } from "../../rules/keys/judge.ts";
import {
  bytesOfSome,
  type HashedKeys,
  numbersJson,
  tagBytes,
} from "../../rules/keys/key-hashes.ts";
import type { Database } from "../database.ts";

/** Keys of one set, each once, with the hashes of their records. */
export type KeysToLookUp = {
  readonly setId: number;
  readonly hashed: HashedKeys;
  /** `hashBytes` for each key. */
  readonly hashes: Uint8Array;
  /** Indexes of the keys that are looked up, in ascending order. */
  readonly order: readonly number[];
};

/** What of a fingerprint makes its record known. */
export type WhatIsKnown = {
  /** A send up to this one says nothing any more. */
  readonly validAfter: number;
  /** What was committed before this time (Unix ms) is too old to count. */
  readonly committedAfter: number;
  /** Whether the sends of known records are asked for, too. */
  readonly asksSends: boolean;
};

/** Looks up keys in one statement. */
export type LookUp = (keys: KeysToLookUp, what: WhatIsKnown) => FoundKeys;

const lists = z.tuple([z.string(), z.string()]);
// Not looked at one by one: these lists are the store's own, with an entry for each row of a run.
const ids = z.custom<(number | null)[]>(Array.isArray);
const sends = z.custom<readonly number[]>(Array.isArray);

/** Puts sends, which are of some ids alone, into the places of these. */
function inPlaces(
  known: readonly (number | null)[],
  some: readonly number[],
  hasAll: boolean,
): number[] {
  let at = 0;
  return known.map((id) => (id !== null && (hasAll || id < 0) ? (some[at++] ?? 0) : 0));
}

/** Makes the look-up of a SQLite store. */
export function createLookUp(db: Database): LookUp {
  // It names what is known, so that whatever it says nothing of is sent. It answers two lists and not a row
  // for each key, which took most of its time; the keys stay in their order, because everything is joined to
  // their left.
  const select = db.prepare(
    `select json_group_array(iif(is_known, id, -id)),
       json_group_array(send) filter (where id is not null and ($asksSends or not is_known))
     from (
       select f.hash is substr($hashes, k.key * ${hashBytes} + 1, ${hashBytes}) and s.send is not null as is_known,
         f.id as id, f.send as send
       from json_each($numbers) k
       left join fingerprints f on f.set_id = $setId and f.number = k.value
         and f.tag = substr($tags, k.key * ${tagBytes} + 1, ${tagBytes})
       left join stagings s on s.send = f.send and s.send > $validAfter and s.state in ('committed', 'cut')
         and s.committed_at >= $committedAfter)`,
  );
  select.setReturnArrays(true);
  return ({ setId, hashed, hashes, order }, { validAfter, committedAfter, asksSends }) => {
    const [idList, sendList] = lists.parse(
      select.get({
        setId,
        numbers: numbersJson(hashed, order),
        tags: bytesOfSome(hashed.tags, tagBytes, order),
        hashes: bytesOfSome(hashes, hashBytes, order),
        validAfter,
        committedAfter,
        asksSends: Number(asksSends),
      }),
    );
    const found = ids.parse(JSON.parse(idList));
    return {
      ids: found,
      sends: inPlaces(found, sends.parse(JSON.parse(sendList)), asksSends),
    };
  };
}
