import { type RawBuilder, sql } from "kysely";
import { z } from "zod";

import { sent } from "../../rules/keys/judge.ts";
import type { HashedKeys } from "../../rules/keys/key-hashes.ts";
import type { Queries } from "../../store/state-database.ts";
import type { PostgresDatabase } from "../database.ts";
import { hasLeft, keyRelation } from "./look-up.ts";
import type { SendOfSet } from "./staged-keys.ts";

/** Keys that are written among the fingerprints in one transaction: some 20 ms. */
const keysPerStep = 2_000;

/** What is noted as the count of keys once all of them are written. */
const merged = 0;

/** The numbers of some keys, both ends among them, as SQL has them. */
type Range = { readonly from: string; readonly to: string };

/** Cuts the numbers of keys into ranges of about `keysPerStep` of so many: hashes lie everywhere alike. */
function rangesOf(keys: number): readonly Range[] {
  const count = Math.max(1, Math.ceil(keys / keysPerStep));
  const begin = (index: number): bigint => (2n ** 64n * BigInt(index)) / BigInt(count) - 2n ** 63n;
  return Array.from({ length: count }, (_, index) => ({
    from: String(begin(index)),
    to: String(begin(index + 1) - 1n),
  }));
}

/**
 * What becomes of the send of a fingerprint `f` by a staging, in SQL; `otherwise` where no other one of the run sends
 * the key. What another one sends, too, is sent twice, in whatever order the two are accepted: a send below zero, of
 * the newest of them, never counts. It stays so where the one that found the key staged was given up once it had
 * left, and where the keys of a staging are written once more. The same is said of what a later run sent, although no
 * lock allows that, and of a staging that began while the statement waited for its key.
 */
function sendAfter(send: number, otherwise: RawBuilder<unknown>): RawBuilder<unknown> {
  const stagings = sql.table("stagings");
  return sql`case when abs(f.send) >= (select min(send) from ${stagings} where run_id = (
        select run_id from ${stagings} where send = ${send}))
      and f.send <> ${send} and (f.send < 0 or not exists (
        select 1 from ${stagings} other where other.send = abs(f.send) and other.state = 'dropped'))
    then -greatest(abs(f.send), ${send}) else ${otherwise} end`;
}

/** Makes what is known of keys unknown of which the service refused a record of a staging; inside a transaction. */
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
 * (`holdStaged`), so that READ COMMITTED is enough. All of them are written before the transaction that commits it, and
 * name a send that does not count yet; whoever judges one of them finds it staged until then, and unknown. Written once
 * more, all is as it was before.
 */
async function mergeSome(
  queries: Queries,
  { setId, send }: SendOfSet,
  range: Range,
): Promise<void> {
  const some = sql`from ${sql.table("stagedKeys")} e where e.set_id = ${setId} and e.send = ${send}
    and e.number between cast(${range.from} as bigint) and cast(${range.to} as bigint)`;
  // What a refused record, a send of 0, makes of its key was told when it was refused. The rows are locked in the order
  // of their numbers, so that two that merge wait for each other in one direction.
  await sql`
    insert into ${sql.table("fingerprints")} as f (set_id, number, tag, hash, send, id)
    select e.set_id, e.number, e.tag, e.hash, e.send * e.times, e.id ${some} order by e.number, e.tag
    on conflict (set_id, number, tag) do update set hash = excluded.hash,
      send = ${sendAfter(send, sql`excluded.send`)}
      where excluded.send <> 0`.execute(queries);
  const fields = sql.table("stagedFields");
  // Looked up by their ids, whatever the planner thinks of tables that fill and empty all the time: without statistics
  // it went through the keys of the range once for each of the fields, which took seconds. Those of a record that was
  // refused may come after those of another lane's, which it staged meanwhile.
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

/** What writes the keys of a staging among the fingerprints, each part of it in a transaction of its own. */
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
 * Of each key that is among the fingerprints although its staging does not count yet, the `send` of the newest such
 * staging as they have it, by `number` and `tag`; for `from` and `join`.
 */
export function writtenAhead(setId: number): RawBuilder<unknown> {
  return sql`(select distinct on (e.number, e.tag) e.number, e.tag, e.send * e.times as send
    from ${sql.table("stagedSends")} o join ${sql.table("stagings")} s on s.send = o.send
      join ${sql.table("stagedKeys")} e on e.set_id = o.set_id and e.send = o.send
    where o.set_id = ${setId} and o.keys = ${merged} and s.state = 'staged' order by e.number, e.tag, e.entry desc)`;
}

/** Forgets the fields that were kept for a staging of which nothing left. */
async function discardFields(queries: Queries, { setId, send }: SendOfSet): Promise<void> {
  await sql`
    delete from ${sql.table("fieldHashes")} h using ${sql.table("stagedKeys")} e
    where e.set_id = ${setId} and e.send = ${send} and e.is_drawn and h.set_id = e.set_id and h.id = e.id`.execute(
    queries,
  );
}

/** Removes what lies apart of a staging. */
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

/** The stagings that have ended, and of which keys still stand apart; of a set or of all. */
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
 * Comes to an end with what stagings left, of a set or of all, in transactions of its own: what was accepted is among
 * the fingerprints already; where nothing of one left, nothing is known of it any more; and of the others each key
 * becomes unknown. Nobody adds to a staging that has ended; several processes may do this at once, one after the other
 * for each staging, whose row they lock.
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
