import { type RawBuilder, sql } from "kysely";

import { sent } from "../../rules/keys/judge.ts";
import type { HashedKeys } from "../../rules/keys/key-hashes.ts";
import type { Queries } from "../../store/state-database.ts";
import { bigintsOf, integerArray, smallintArray } from "./binary-arrays.ts";
import { hashArray, keyRelation, tagArray } from "./look-up.ts";

// What stagings will make known is kept apart from the fingerprints until their commit: a staging that is abandoned
// before anything of it left has changed no fingerprint. Every function is called inside a transaction.

/** A staging, and the set of its sync. */
export type SendOfSet = { readonly setId: number; readonly send: number };

/** What a staging makes of a key, by its index. */
export type KeyToStage = {
  readonly index: number;
  readonly id: number;
  readonly times: number;
  /** Whether the id was drawn for it. */
  readonly isDrawn: boolean;
};

/**
 * Counts rows of a staging, in SQL. Once all are among the fingerprints (`noteMerged`) the count stays as it is: a
 * record that is refused later is made unknown there, too.
 */
function countedKeys({ setId, send }: SendOfSet, keys: number): RawBuilder<unknown> {
  return sql`
    insert into ${sql.table("stagedSends")} as o (set_id, send, keys) values (${setId}, ${send}, ${keys})
    on conflict (set_id, send) do update set keys = case o.keys when 0 then 0 else o.keys + excluded.keys end`;
}

// Only the last note of a staging about a key counts.
const orReplace = sql`on conflict (set_id, number, tag, send) do update
  set hash = excluded.hash, id = excluded.id, times = excluded.times, entry = excluded.entry,
    is_drawn = e.is_drawn or excluded.is_drawn`;

/** Notes what a staging makes of keys; each key comes once. */
export async function putStaged(
  queries: Queries,
  {
    setId,
    send,
    hashed,
    hashes,
  }: SendOfSet & { readonly hashed: HashedKeys; readonly hashes: Uint8Array },
  keys: readonly KeyToStage[],
): Promise<void> {
  if (keys.length === 0) return;
  const order = keys.map(({ index }) => index);
  const ids = integerArray(keys.map(({ id }) => id));
  const times = smallintArray(keys.map((key) => key.times));
  const drawn = smallintArray(keys.map(({ isDrawn }) => Number(isDrawn)));
  // In the order of their index, which takes three quarters of the time. In one statement with their count, because
  // others wait for the lock of the set.
  await sql`
    with counted as (${countedKeys({ setId, send }, keys.length)})
    insert into ${sql.table("stagedKeys")} as e (set_id, number, tag, send, hash, id, times, is_drawn)
    select cast(${setId} as integer), number, tag, cast(${send} as bigint), hash, id, times, is_drawn = 1
    from unnest(${bigintsOf(hashed.numbers, order)}::bigint[], ${tagArray(hashed, order)}::bigint[],
      ${hashArray(hashes, order)}, ${ids}::integer[], ${times}::smallint[], ${drawn}::smallint[])
      as one (number, tag, hash, id, times, is_drawn)
    order by number ${orReplace}`.execute(queries);
}

/**
 * Notes that the service refused a record of each of these keys of a staging, which makes none of them known. A key
 * that is sent twice stays so.
 */
export async function refuseStaged(
  queries: Queries,
  { setId, send }: SendOfSet,
  hashed: HashedKeys,
): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    insert into ${sql.table("stagedKeys")} as e (set_id, number, tag, send, hash, id, times, is_drawn)
    select distinct cast(${setId} as integer), k.number, k.tag, cast(${send} as bigint),
      cast('00000000-0000-0000-0000-000000000000' as uuid), staged.id, cast(${sent.refused} as smallint), false
    from ${keyRelation(hashed)} k join ${sql.table("stagedKeys")} staged on staged.set_id = ${setId}
      and staged.number = k.number and staged.tag = k.tag and staged.send = ${send}
      and staged.times <> ${sent.twice} ${orReplace}`.execute(queries);
  if (numAffectedRows === 0n) return;
  await countedKeys({ setId, send }, Number(numAffectedRows)).execute(queries);
}
