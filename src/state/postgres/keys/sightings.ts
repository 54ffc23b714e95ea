import { type RawBuilder, sql } from "kysely";
import { z } from "zod";

import { rowNumberOf, sendOf } from "../../rules/keys/ages.ts";
import { IdSet } from "../../rules/keys/id-set.ts";
import { eachSeen, type SeenRows, SeenRowsWriter } from "../../rules/keys/seen-rows.ts";
import type { Queries } from "../../store/state-database.ts";
import type { PostgresDatabase } from "../database.ts";
import { foldAges } from "./ages.ts";
import { integerArray } from "./binary-arrays.ts";
import { withLockedSet } from "./set-lock.ts";

/** A run, and the set of its sync. */
type RunOfSet = { readonly setId: number; readonly runId: string };

const list = z.array(z.int()).transform((numbers) => Uint32Array.from(numbers));

const seenColumns = z.object({ ids: list, rowNumbers: list, lengths: list.nullable() });

const numberedRow = seenColumns.extend({ number: z.int() });

/** An entry that a run added, null if there is none; and how many of its stagings ended without all that they saw. */
const sinceRow = z.object({ ended: z.int(), number: z.int().nullable(), seen: z.unknown() });

const columnsInSql = sql`to_json(ids) as ids, to_json(row_numbers) as row_numbers, to_json(lengths) as lengths`;

/** What one run saw, as far as it has been read. */
type RunSeen = {
  readonly runId: string;
  readonly ended: number;
  readonly ids: IdSet;
  number: number;
};

/** The entries of a run after a number, and the count of its stagings that ended without all that they saw. */
async function entriesSince(
  queries: Queries,
  { setId, runId }: RunOfSet,
  number: number,
): Promise<{ readonly ended: number; readonly entries: readonly z.output<typeof numberedRow>[] }> {
  const stagings = sql.table("stagings");
  const { rows } = await sql`
    select e.ended, s.number, s.seen from (
        select count(*) as ended from ${stagings} where run_id = ${runId} and state in ('dropped', 'cut')) e
      left join lateral (
        select number, json_build_object('number', number, 'ids', ids, 'rowNumbers', row_numbers, 'lengths', lengths)
          as seen
        from ${sql.table("sightings")} join ${stagings} using (send)
        where set_id = ${setId} and number > ${number} and run_id = ${runId} and state <> 'dropped') s on true
    order by s.number`.execute(queries);
  const found = z.array(sinceRow).parse(rows);
  return {
    ended: found[0]?.ended ?? 0,
    entries: found.flatMap(({ seen }) => (seen === null ? [] : numberedRow.parse(seen))),
  };
}

function addIds(to: IdSet, entries: readonly SeenRows[]): void {
  for (const rows of entries) eachSeen(rows, (id) => to.add(id));
}

/**
 * What runs saw, by set. Only committed sightings are remembered, and they are brought up to date at each call: the
 * entries that any process added since are read under the lock of the set, in whose order their numbers grow.
 * Everything is read again once a staging of the run was abandoned or cut.
 */
export class SeenByRuns {
  readonly #known = new Map<number, RunSeen>();

  /**
   * Makes a function that returns which ids a run has seen so far, including in this transaction. Call `begin` once the
   * set is locked, and the function for the first time before anything is written.
   */
  begin(queries: Queries, at: RunOfSet): () => Promise<(id: number) => boolean> {
    let before: RunSeen | undefined;
    return async () => {
      if (before === undefined) {
        const { ids } = (before = await this.#committed(queries, at));
        return (id) => ids.has(id);
      }
      const { ids, number } = before;
      // Not remembered: this transaction may fail.
      const here = new IdSet();
      addIds(here, (await entriesSince(queries, at, number)).entries);
      return (id) => ids.has(id) || here.has(id);
    };
  }

  /** The ids that a run saw, in stagings that it did not abandon. */
  async all(queries: Queries, at: RunOfSet): Promise<IdSet> {
    return (await this.#committed(queries, at)).ids;
  }

  async #committed(queries: Queries, at: RunOfSet): Promise<RunSeen> {
    const { setId, runId } = at;
    for (;;) {
      const known = this.#known.get(setId);
      const isOurs = known?.runId === runId;
      const { ended, entries } = await entriesSince(queries, at, isOurs ? known.number : 0);
      if (isOurs && known.ended !== ended) {
        this.#known.delete(setId);
        continue;
      }
      const seen: RunSeen = isOurs ? known : { runId, ended, ids: new IdSet(), number: 0 };
      addIds(seen.ids, entries);
      seen.number = entries.at(-1)?.number ?? seen.number;
      this.#known.set(setId, seen);
      return seen;
    }
  }
}

/** Collects what a transaction saw, by the stagings that the ages of its rows name. */
export class SeenHere {
  // A replayed row is as old as the staging that first refused it.
  readonly #rows = new Map<number, SeenRowsWriter>();

  note(id: number, age: number): void {
    const send = sendOf(age);
    let rows = this.#rows.get(send);
    if (rows === undefined) this.#rows.set(send, (rows = new SeenRowsWriter()));
    rows.add(id, rowNumberOf(age));
  }

  get isEmpty(): boolean {
    return this.#rows.size === 0;
  }

  async write(queries: Queries, setId: number): Promise<void> {
    for (const [send, rows] of this.#rows) {
      await sql`
        insert into ${sql.table("sightings")} (set_id, send, ids, row_numbers, lengths)
        values (${setId}, ${send}, ${columns(rows)})`.execute(queries);
    }
  }
}

function columns(writer: SeenRowsWriter): RawBuilder<unknown> {
  const { ids, rowNumbers, lengths } = writer.rows();
  const runs = lengths === null ? null : integerArray(lengths);
  return sql`${integerArray(ids)}::integer[], ${integerArray(rowNumbers)}::integer[], ${runs}::integer[]`;
}

const foldFacts = z.object({ isAny: z.boolean(), isAsked: z.boolean() });

/**
 * Folds what earlier runs saw into the blocks of ages, or forgets it if nothing can ask for it: no reject of the sync,
 * no other open run of it, no older mapping. Call it with the set locked; once a run is enough.
 */
export async function foldSightings(queries: Queries, { setId, runId }: RunOfSet): Promise<void> {
  const [sightings, stagings, runs] = [
    sql.table("sightings"),
    sql.table("stagings"),
    sql.table("runs"),
  ];
  const isOld = sql<boolean>`s.set_id = ${setId}
    and s.send < (select min(send) from ${stagings} where run_id = ${runId})`;
  const ofSync = sql`from ${sql.table("fingerprintSets")} e join ${runs} r using (target, sync)`;
  const mappings = sql.table("mappings");
  const { rows } = await sql`
    select exists (select 1 from ${sightings} s where ${isOld}) as is_any,
      exists (select 1 ${ofSync} join ${sql.table("rejects")} using (run_id) where e.id = ${setId})
      or exists (select 1 ${ofSync} where e.id = ${setId} and r.ended_at is null and r.run_id <> ${runId})
      or exists (select 1 from ${mappings} where set_id = ${setId} group by set_id having count(*) > 1)
      or exists (select 1 from ${sightings} s join ${stagings} t using (send) join ${mappings} m using (set_id)
        where s.set_id = ${setId} and t.mapping <> m.mapping) as is_asked`.execute(queries);
  const { isAny, isAsked } = foldFacts.parse(rows[0]);
  if (!isAny) return;
  if (isAsked) await foldAges(queries, setId, isOld);
  else
    await sql`delete from ${sql.table("sightedBlocks")} where set_id = ${setId}`.execute(queries);
  // Whether an undecided staging will count is not known yet, and an open run asks for its own sightings.
  await sql`
    delete from ${sightings} s where ${isOld} and not exists (
      select 1 from ${stagings} t join ${runs} r using (run_id)
      where t.send = s.send and (t.state in ('staging', 'staged') or r.ended_at is null))`.execute(
    queries,
  );
}

/**
 * Folds what accepted stagings saw of every set into its blocks, and forgets the rest, for which only the run that saw
 * it asks. Does nothing while a run is open.
 */
export async function foldAllSets(database: PostgresDatabase): Promise<void> {
  const sets = database.state.queries.selectFrom("fingerprintSets").select(["target", "sync"]);
  for (const name of await sets.execute()) {
    // Locked before it asks for open runs: one that opens later judges no key of the set before this ends.
    await withLockedSet(database, name, async (queries, { id: setId }) => {
      const open = queries.selectFrom("runs").select("runId").where("endedAt", "is", null).limit(1);
      if ((await open.executeTakeFirst()) !== undefined) return;
      await foldAges(queries, setId, sql`true`);
      await sql`delete from ${sql.table("sightings")} where set_id = ${setId}`.execute(queries);
    });
  }
}

/** Forgets that a staging saw these ids; to be called inside a transaction. */
export async function unsee(
  queries: Queries,
  { setId, send }: { readonly setId: number; readonly send: number },
  ids: ReadonlySet<number>,
): Promise<void> {
  const sightings = sql.table("sightings");
  const { rows } = await sql`
    select number, ${columnsInSql} from ${sightings} where set_id = ${setId} and send = ${send}`.execute(
    queries,
  );
  for (const { number, ...seen } of z.array(numberedRow).parse(rows)) {
    const left = new SeenRowsWriter();
    eachSeen(seen, (id, rowNumber) => {
      if (!ids.has(id)) left.add(id, rowNumber);
    });
    await sql`
      update ${sightings} set (ids, row_numbers, lengths) = (select ${columns(left)})
      where set_id = ${setId} and number = ${number}`.execute(queries);
  }
}
