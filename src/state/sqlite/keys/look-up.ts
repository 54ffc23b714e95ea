import { hashBytes, type KeysToStage } from "../../contract/keys/fingerprints.ts";
import type { Database } from "../database.ts";

/** A fingerprint by the places of `column`, and no object with names: there is one for each row of a run. */
export type KnownRow = readonly unknown[];

/** Where the columns of a `KnownRow` stand; `isSame` tells whether its hash is that of the record. */
export const column = {
  place: 0,
  isSame: 1,
  fields: 2,
  send: 3,
  seen: 4,
  seenBefore: 5,
  id: 6,
} as const;

/** Looks up the fingerprints of some keys of a call in one statement, by the indexes of the keys. */
export type LookUp = (
  input: Pick<KeysToStage, "hashes" | "keys">,
  at: { readonly setId: number; readonly order: readonly number[] },
) => ReadonlyMap<number, KnownRow>;

/** The hashes of these keys, in their order. */
function hashesIn(hashes: Uint8Array, order: readonly number[]): Uint8Array {
  const chosen = new Uint8Array(order.length * hashBytes);
  for (const [place, index] of order.entries()) {
    const hash = hashes.subarray(index * hashBytes, (index + 1) * hashBytes);
    chosen.set(hash, place * hashBytes);
  }
  return chosen;
}

/** Makes the look-up of a SQLite store. */
export function createLookUp(db: Database): LookUp {
  // `cross join` has each key looked up: the planner may go through all fingerprints for each of them.
  const select = db.prepare(
    `select k.key, f.hash is substr($hashes, k.key * ${hashBytes} + 1, ${hashBytes}), f.fields, f.send, f.seen,
       f.seen_before, f.id
     from json_each($keys) k cross join fingerprints f on f.set_id = $setId and f.key = k.value`,
  );
  select.setReturnArrays(true);
  return ({ keys, hashes }, { setId, order }) => {
    const asked = JSON.stringify(order.map((index) => keys[index]));
    const found = select.all({ setId, keys: asked, hashes: hashesIn(hashes, order) });
    const known = new Map<number, KnownRow>();
    for (const row of found) {
      if (Array.isArray(row)) known.set(order[Number(row[column.place])] ?? -1, row);
    }
    return known;
  };
}
