import { type RawBuilder, sql } from "kysely";
import { z } from "zod";

import { sent } from "../../rules/keys/judge.ts";
import type { HashedKeys } from "../../rules/keys/key-hashes.ts";
import type { Queries } from "../../store/state-database.ts";
import type { PostgresDatabase } from "../database.ts";
import { hasLeft, keyRelation } from "./look-up.ts";
import type { SendOfSet } from "./staged-keys.ts";

/** Keys that one transaction writes among the fingerprints: some 20 ms. */
const keysPerStep = 2_000;

/** The count of keys that is noted once all of them are written. */
const merged = 0;

/** A range of key numbers, both ends included, as SQL has them. */
type Range = { readonly from: string; readonly to: string };

/** Cuts the numbers of so many keys into ranges of about `keysPerStep` each: hashes are spread evenly. */
function rangesOf(keys: number): readonly Range[] {
  const count = Math.max(1, Math.ceil(keys / keysPerStep));
  const begin = (index: number): bigint => (2n ** 64n * BigInt(index)) / BigInt(count) - 2n ** 63n;
  return Array.from({ length: count }, (_, index) => ({
    from: String(begin(index)),
    to: String(begin(index + 1) - 1n),
  }));
}

/**
 * The send of a fingerprint `f` after a staging, in SQL; `otherwise` if no other staging of the run sends the key. If
 * another one does, the key is sent twice, in whatever order the two are accepted: its send becomes that of the newest
 * of them, negated, which never counts. It stays so if the staging that found the key staged was abandoned after it had
 * left, and if the keys of a staging are written again. The same holds for a key that a later run sent, although no
 * lock allows that, and for a staging that began while the statement waited for its key.
 */
function sendAfter(send: number, otherwise: RawBuilder<unknown>): RawBuilder<unknown> {
  const stagings = sql.table("stagings");
  return sql`case when abs(f.send) >= (select min(send) from ${stagings} where run_id = (
        select run_id from ${stagings} where send = ${send}))
      and f.send <> ${send} and (f.send < 0 or not exists (
        select 1 from ${stagings} other where other.send = abs(f.send) and other.state = 'dropped'))
    then -greatest(abs(f.send), ${send}) else ${otherwise} end`;
}

/** Makes keys unknown for which the service refused a record of a staging; inside a transaction. */
export async function refuseMerged(
  queries: Queries,
  { setId, send }: SendOfSet,
  hashed: HashedKeys,
): Promise<void> {
  await sql`
    update ${sql.table("fingerprints")} f set send = ${sendAfter(send, sql`0`)} from ${keyRelation(hashed)} k
    where f.set_id = ${setId} and f.number = k.number and f.tag = k.tag`.execute(queries);
}

/**
 * Writes some keys of a staging among the fingerprints; inside a transaction that keeps the staging as it is
 * (`holdStaged`), so that READ COMMITTED is enough. All of them are written before the transaction that commits the
 * staging, and name a send that does not count yet; until then, whoever judges one of them finds it staged, and
 * unknown. Writing them again changes nothing.
 */
async function mergeSome(
  queries: Queries,
  { setId, send }: SendOfSet,
  range: Range,
): Promise<void> {
  const some = sql`from ${sql.table("stagedKeys")} e where e.set_id = ${setId} and e.send = ${send}
    and e.number between cast(${range.from} as bigint) and cast(${range.to} as bigint)`;
  // The key of a refused record, with a send of 0, was updated when the record was refused. The rows are locked in the
  // order of their numbers, so that two merges wait for each other in one direction.
  await sql`
    insert into ${sql.table("fingerprints")} as f (set_id, number, tag, hash, send, id)
    select e.set_id, e.number, e.tag, e.hash, e.send * e.times, e.id ${some} order by e.number, e.tag
    on conflict (set_id, number, tag) do update set hash = excluded.hash,
      send = ${sendAfter(send, sql`excluded.send`)}
      where excluded.send <> 0`.execute(queries);
  const fields = sql.table("stagedFields");
  // Looked up by their ids, whatever the planner thinks of tables that fill and empty all the time: without statistics
  // it went through the keys of the range once for each field, which took seconds. The fields of a refused record are
  // left out: they could overwrite those that another lane staged meanwhile.
  const { rows } = await sql`
    select 1 from ${fields} where set_id = ${setId} and send = ${send} limit 1`.execute(queries);
  if (rows.length === 0) return;
  await sql`
    with merged as materialized (select e.id, e.times ${some}),
    taken as (delete from ${fields} where ctid = any(array(
        select f.ctid from merged cross join lateral (
          select one.ctid from ${fields} one where one.set_id = ${setId} and one.id = merged.id and one.send = ${send}
          limit 1) f))
      returning set_id, id, hashes)
    insert into ${sql.table("fieldHashes")} (set_id, id, hashes)
    select t.set_id, t.id, t.hashes from taken t join merged m on m.id = t.id and m.times <> ${sent.refused}
    on conflict (set_id, id) do update set hashes = excluded.hashes`.execute(queries);
}

/** The steps that write the keys of a staging among the fingerprints, each in a transaction of its own. */
export async function mergeSteps(
  queries: Queries,
  of: SendOfSet,
): Promise<readonly ((queries: Queries) => Promise<void>)[]> {
  const { rows } = await sql`
    select keys from ${sql.table("stagedSends")} where set_id = ${of.setId} and send = ${of.send}`.execute(
    queries,
  );
  const { keys = merged } = z.array(z.object({ keys: z.int() })).parse(rows)[0] ?? {};
  if (keys === merged) return [];
  return rangesOf(keys).map(
    (range) => async (transaction: Queries) => await mergeSome(transaction, of, range),
  );
}

/** Notes that all keys of a staging are among the fingerprints; inside a transaction. */
export async function noteMerged(queries: Queries, { setId, send }: SendOfSet): Promise<void> {
  await sql`
    update ${sql.table("stagedSends")} set keys = ${merged} where set_id = ${setId} and send = ${send}`.execute(
    queries,
  );
}

/**
 * For each key that is among the fingerprints although its staging does not count yet: the `send` of the newest such
 * staging, signed as in the fingerprints, by `number` and `tag`; for `from` and `join`.
 */
export function writtenAhead(setId: number): RawBuilder<unknown> {
  return sql`(select distinct on (e.number, e.tag) e.number, e.tag, e.send * e.times as send
    from ${sql.table("stagedSends")} o join ${sql.table("stagings")} s on s.send = o.send
      join ${sql.table("stagedKeys")} e on e.set_id = o.set_id and e.send = o.send
    where o.set_id = ${setId} and o.keys = ${merged} and s.state = 'staged' order by e.number, e.tag, e.entry desc)`;
}

/** Forgets the fields kept for a staging of which nothing left. */
async function discardFields(queries: Queries, { setId, send }: SendOfSet): Promise<void> {
  await sql`
    delete from ${sql.table("fieldHashes")} h using ${sql.table("stagedKeys")} e
    where e.set_id = ${setId} and e.send = ${send} and e.is_drawn and h.set_id = e.set_id and h.id = e.id`.execute(
    queries,
  );
}

/** Removes the rows kept apart for a staging. */
async function forgetStaged(queries: Queries, { setId, send }: SendOfSet): Promise<void> {
  for (const table of ["stagedFields", "stagedKeys", "stagedSends"]) {
    await sql`
      delete from ${sql.table(table)} where set_id = ${setId} and send = ${send}`.execute(queries);
  }
}

const endedRow = z.object({
  setId: z.int(),
  send: z.int(),
  isTaken: z.boolean(),
  hasLeft: z.boolean(),
});

/** The ended stagings whose keys are still kept apart; of a set or of all. */
async function endedSends(
  queries: Queries,
  setId: number | undefined,
): Promise<readonly z.output<typeof endedRow>[]> {
  const ofSet: RawBuilder<unknown> = setId === undefined ? sql`true` : sql`o.set_id = ${setId}`;
  const { rows } = await sql`
    select o.set_id, o.send, coalesce(s.state <> 'dropped', false) as is_taken, s.send is null or ${hasLeft} as has_left
    from ${sql.table("stagedSends")} o left join ${sql.table("stagings")} s on s.send = o.send
    where ${ofSet} and (s.send is null or s.state in ('dropped', 'committed', 'cut'))
    order by o.set_id, o.send`.execute(queries);
  return z.array(endedRow).parse(rows);
}

/**
 * Settles the keys that ended stagings left behind, of a set or of all, in transactions of its own. Accepted keys are
 * among the fingerprints already; a staging of which nothing left is forgotten; each key of the others becomes unknown.
 * Nobody adds to a staging that has ended. Several processes may do this at once: they lock the row of each staging,
 * and so take turns.
 */
export async function settleStaged(database: PostgresDatabase, setId?: number): Promise<void> {
  for (const { isTaken, hasLeft: isSent, ...of } of await endedSends(
    database.state.queries,
    setId,
  )) {
    const stillThere = async (work: (queries: Queries) => Promise<void>): Promise<void> =>
      await database.lockAndWrite(async (queries) => {
        const { rows } = await sql`
          select 1 from ${sql.table("stagedSends")} where set_id = ${of.setId} and send = ${of.send}
          for update`.execute(queries);
        if (rows.length > 0) await work(queries);
      });
    if (!isTaken && isSent) {
      for (const step of await mergeSteps(database.state.queries, of)) await stillThere(step);
    }
    await stillThere(async (queries) => {
      if (!isTaken && !isSent) await discardFields(queries, of);
      await forgetStaged(queries, of);
    });
  }
}
