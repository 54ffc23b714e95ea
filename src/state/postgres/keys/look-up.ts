import { type RawBuilder, sql, type SqlBool } from "kysely";
import { z } from "zod";

import { hashBytes } from "../../contract/keys/fingerprints.ts";
import type { FoundKeys, SendFacts } from "../../rules/keys/judge.ts";
import { type HashedKeys, tagBytes } from "../../rules/keys/key-hashes.ts";
import type { Queries } from "../../store/state-database.ts";
import { bigintsOf, bytesArray } from "./binary-arrays.ts";

/** Keys of one set, each once, with the hashes of their records. */
export type KeysToFind = {
  readonly setId: number;
  readonly hashed: HashedKeys;
  /** `hashBytes` for each key. */
  readonly hashes: Uint8Array;
  /** Indexes of the keys that are looked up, in ascending order. */
  readonly order: readonly number[];
};

/** The conditions under which a fingerprint makes its record known. */
type WhatCounts = {
  /** Sends up to this one no longer count. */
  readonly validAfter: number;
  /** Sends committed before this time (Unix ms) are too old to count. */
  readonly committedAfter: number;
  /** Whether the sends of known records are asked for, too. */
  readonly asksSends: boolean;
  /** Whether any keys of the set are kept apart: see `isAnyStaged`. */
  readonly hasStaged: boolean;
};

/** What was found, all as of one moment. */
export type FoundAtOnce = FoundKeys & {
  /** The facts of each send that was found, except of those no longer known. */
  readonly facts: ReadonlyMap<number, SendFacts>;
  readonly isAnyInDoubt: boolean;
  /** As `JudgedSet` has them. */
  readonly mappings: ReadonlySet<string>;
};

/** Tags of keys as an array, in SQL. */
export function tagArray({ tags }: HashedKeys, order: readonly number[]): Buffer {
  return bytesArray("bigint", { bytes: tags, size: tagBytes }, order);
}

/** Keys as a relation of `number`, `tag` and `place`. */
export function keyRelation(hashed: HashedKeys): RawBuilder<unknown> {
  const order = [...hashed.numbers.keys()];
  return sql`(select number, tag, place from
    unnest(${bigintsOf(hashed.numbers, order)}::bigint[], ${tagArray(hashed, order)}::bigint[])
    with ordinality as one (number, tag, place))`;
}

/** Hashes of records as an array, in SQL. */
export function hashArray(hashes: Uint8Array, order: readonly number[]): RawBuilder<unknown> {
  return sql`${bytesArray("uuid", { bytes: hashes, size: hashBytes }, order)}::uuid[]`;
}

/**
 * Whether something of a staging `s` left, in SQL. The receipts say so: a part is marked before its bytes leave, in a
 * transaction that checks whether its staging was abandoned.
 */
export const hasLeft: RawBuilder<SqlBool> = sql`exists (select 1 from ${sql.table("receipts")} r
  where r.run_id = s.run_id and r.chunk = s.chunk and r.stage = s.stage and r.attempts > 0)`;

/**
 * The newest entry of a key `k` among the stagings whose keys take precedence over what is known, for `lateral`: they
 * are not decided yet, or were abandoned after something of them left. The limit makes the planner look up the entry by
 * its key, whatever it thinks of the size of the table; the `+ 0` keeps it from doing so once for each staging.
 */
export function stagedOfKey(setId: number): RawBuilder<unknown> {
  const open = sql`array(select o.send from ${sql.table("stagedSends")} o
    left join ${sql.table("stagings")} s on s.send = o.send
    where o.set_id = ${setId} and (s.send is null or s.state in ('staging', 'staged')
      or (s.state = 'dropped' and ${hasLeft})))`;
  return sql`(select e.id, e.send, e.times from ${sql.table("stagedKeys")} e
    where e.set_id = ${setId} and e.number = k.number and e.tag = k.tag and e.send + 0 = any(${open})
    order by e.entry desc limit 1)`;
}

/** The fingerprint of a key `k`, for `lateral`. */
export function knownOfKey(setId: number): RawBuilder<unknown> {
  return sql`(select f.hash, f.send, f.id from ${sql.table("fingerprints")} f
    where f.set_id = ${setId} and f.number = k.number and f.tag = k.tag limit 1)`;
}

const noneStaged = sql`(select null::integer as id, null::bigint as send, null::smallint as times)`;

/**
 * Whether any keys of a set are kept apart from the fingerprints: without them a look-up takes a third of the time.
 * While the set is locked nothing new is staged, and the key of a record that is refused is staged already.
 */
export async function isAnyStaged(queries: Queries, setId: number): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ${sql.table("stagedSends")} where set_id = ${setId} limit 1`.execute(queries);
  return rows.length > 0;
}

const numberList = z.string().transform((text) => text.split(",").map(Number));

const factsOfSend = z
  .tuple([z.int(), z.string(), z.string(), z.int().nullable(), z.string().nullable()])
  .transform(([send, runId, state, committedAt, mapping]): readonly [number, SendFacts] => {
    return [send, { runId, state, committedAt, mapping }];
  });

const foundRow = z.object({
  ids: numberList.transform((ids) => ids.map((id) => (id === 0 ? null : id))),
  sends: numberList,
  facts: z.array(factsOfSend).transform((facts) => new Map(facts)),
  isAnyInDoubt: z.boolean(),
  mappings: z.array(z.string()).transform((mappings) => new Set(mappings)),
});

const nothingFound: FoundAtOnce = {
  ids: [],
  sends: [],
  facts: new Map(),
  isAnyInDoubt: false,
  mappings: new Set(),
};

/**
 * Looks up keys in one statement, which names the known ones, so that any record that it does not mention is sent. It
 * returns lists, because a row for each key took longer. The stagings are joined after the look-ups: otherwise the
 * planner would go through all of them for each key.
 */
export async function lookUp(
  queries: Queries,
  { setId, hashed, hashes, order }: KeysToFind,
  { validAfter, committedAfter, asksSends, hasStaged }: WhatCounts,
): Promise<FoundAtOnce> {
  if (order.length === 0) return nothingFound;
  const stagings = sql.table("stagings");
  const staged = hasStaged ? sql`lateral ${stagedOfKey(setId)}` : noneStaged;
  // In the order of their index, in which they are found a little faster.
  const { rows } = await sql`
    with k as (
      select number, tag, hash, place from
        unnest(${bigintsOf(hashed.numbers, order)}::bigint[], ${tagArray(hashed, order)}::bigint[],
          ${hashArray(hashes, order)})
        with ordinality as one (number, tag, hash, place) order by number),
    keyed as materialized (
      select place, f.hash = k.hash as is_same, f.id, f.send, e.id as staged_id, e.send * e.times as staged_send
      from k left join lateral ${knownOfKey(setId)} f on true left join ${staged} e on true),
    found as materialized (
      select place, case when staged_id is not null then -staged_id
          when is_same and s.send is not null then id else -id end as id,
        case when staged_id is not null then staged_send else keyed.send end as send
      from keyed left join ${stagings} s on s.send = keyed.send and s.send > ${validAfter}
        and s.state in ('committed', 'cut') and s.committed_at >= ${committedAfter})
    select string_agg(coalesce(id, 0)::text, ',' order by place) as ids,
      string_agg((case when id < 0 or ${asksSends} then coalesce(send, 0) else 0 end)::text, ',' order by place)
        as sends,
      (select coalesce(json_agg(json_build_array(t.send, t.run_id, t.state, t.committed_at, t.mapping)), '[]')
        from ${stagings} t where t.send in (select abs(send) from found where id < 0 or ${asksSends})) as facts,
      exists (select 1 from ${sql.table("doubts")} where set_id = ${setId}) as is_any_in_doubt,
      (select coalesce(json_agg(mapping), '[]') from ${sql.table("mappings")} where set_id = ${setId}) as mappings
    from found`.execute(queries);
  return foundRow.parse(rows[0]);
}
