import { sql } from "kysely";
import { z } from "zod";

import type { Run } from "../../contract/runs/runs.ts";
import { runKinds } from "../../contract/runs/runs.ts";
import { transactionRowsMax } from "../../limits.ts";
import { jsonMember } from "../dialect.ts";
import type { NewestAges, NewestOf } from "../keys/newest-ages.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import { recountOpen } from "./insert-rejects.ts";
import { ageOfReject, ageWhereRead, replayedAs } from "./reject-age.ts";

// A reject is open until something newer is known of its row. The end of each run of a sync finds the rejects that are
// no longer open and marks them, so that nobody who asks later has to look at each.

/** A run that holds open rejects, and the set of its sync. */
const holderRow = z.object({
  runId: z.string(),
  number: z.int(),
  kind: z.enum(runKinds),
  setId: z.int(),
});

type Holder = z.output<typeof holderRow>;

/** The facts that decide whether a reject stays open. Not parsed one by one: there may be tens of thousands. */
type Candidate = {
  readonly runId: string;
  readonly chunk: number;
  readonly ordinal: number;
  readonly place: string;
  readonly key: string | null;
  readonly step: string;
  readonly age: number;
};

type OfSync = Pick<Run, "target" | "sync">;

/** The runs of a sync that hold open rejects, newest first. */
async function holders(queries: Queries, { target, sync }: OfSync): Promise<Holder[]> {
  const { rows } = await sql`
    select u.run_id, u.rowid as number, u.kind, coalesce(e.id, 0) as set_id
    from (select distinct run_id from ${sql.table("stagings")}
      where open_rejects > 0 and state = 'committed') s
    join ${sql.table("runs")} u on u.run_id = s.run_id
    left join ${sql.table("fingerprintSets")} e on e.target = u.target and e.sync = u.sync
    where u.target = ${target} and u.sync = ${sync} and u.kind <> 'pull'
    order by u.rowid desc`.execute(queries);
  return rows.map((row) => holderRow.parse(row));
}

/** The number of the newest run that has read the whole source; 0 for none. */
async function newestWhole(queries: Queries, { target, sync }: OfSync): Promise<number> {
  const { rows } = await sql<{ readonly number: number }>`
    select coalesce(max(rowid), 0) as number from ${sql.table("runs")}
    where target = ${target} and sync = ${sync} and kind = 'sync' and from_position is null
      and outcome in ('done', 'done_with_rejects')
      and ${jsonMember(queries, "request", "limit")} is null`.execute(queries);
  return rows[0]?.number ?? 0;
}

/** The next open rejects of a run. */
async function candidates(
  queries: Queries,
  { runId, kind }: Holder,
  after: Pick<Candidate, "chunk" | "ordinal">,
): Promise<Candidate[]> {
  const isReplay = kind === "replay";
  const { rows } = await sql<Candidate>`
    select r.run_id, r.chunk, r.ordinal, r.place, r.key, r.step,
      ${isReplay ? ageOfReject() : ageWhereRead()} as age from ${sql.table("rejects")} r
    join ${sql.table("stagings")} s on s.run_id = r.run_id and s.chunk = r.chunk and s.stage = r.stage
    ${isReplay ? replayedAs() : sql``}
    where r.run_id = ${runId} and (r.chunk, r.ordinal) > (${after.chunk}, ${after.ordinal})
      and s.state = 'committed' and r.is_open = 1
    order by r.chunk, r.ordinal limit ${transactionRowsMax}`.execute(queries);
  return rows;
}

/** The rejects for whose key no newer row was staged since, and second rows of a key, of which that says nothing. */
async function withoutOlder(
  found: readonly Candidate[],
  setId: number,
  newestOf: NewestOf,
): Promise<Candidate[]> {
  const isAsked = ({ step, key }: Candidate): boolean => step !== "duplicate" && key !== null;
  if (setId === 0) return [...found];
  const keys = found.filter(isAsked).map(({ key }) => key ?? "");
  const ages = keys.length === 0 ? [] : await newestOf(setId, keys);
  let at = 0;
  return found.filter((reject) => !isAsked(reject) || (ages[at++] ?? 0) <= reject.age);
}

/** Finds the open rejects of a sync that are to be closed, some at a time; `looked` is how many were looked at. */
async function* overtaken(
  queries: Queries,
  of: OfSync,
  newestOf: NewestOf,
): AsyncGenerator<{ readonly looked: number; readonly closed: readonly Candidate[] }> {
  const found = await holders(queries, of);
  const whole = found.length === 0 ? 0 : await newestWhole(queries, of);
  // The rows of which a newer run holds a reject, by key or otherwise by place.
  const known = new Set<string>();
  for (const holder of found) {
    const here: string[] = [];
    let after = { chunk: -1, ordinal: 0 };
    for (;;) {
      const next = await candidates(queries, holder, after);
      const last = next.at(-1);
      if (last === undefined) break;
      after = last;
      const current = holder.number < whole ? [] : await withoutOlder(next, holder.setId, newestOf);
      const open = new Set(current.filter(({ key, place }) => !known.has(key ?? place)));
      for (const { key, place } of open) here.push(key ?? place);
      yield { looked: next.length, closed: next.filter((reject) => !open.has(reject)) };
    }
    for (const row of here) known.add(row);
  }
}

/** Closes rejects of one run; to be called inside a transaction. */
async function close(
  queries: Queries,
  runId: string,
  rejects: readonly Candidate[],
): Promise<void> {
  const ordinals = Map.groupBy(rejects, ({ chunk }) => chunk);
  for (const [chunk, each] of ordinals) {
    await queries
      .updateTable("rejects")
      .set({ isOpen: 0 })
      .where("runId", "=", runId)
      .where("chunk", "=", chunk)
      .where(
        "ordinal",
        "in",
        each.map(({ ordinal }) => ordinal),
      )
      .execute();
  }
  await recountOpen(queries, runId);
}

/** Looking at more rejects than this may take a while: the next look is put off. */
const lookedAtOnceMax = 1_000;

/** About one part in so many of the time goes into such looks. */
const timeShare = 10;

/**
 * Makes a function that closes rejects of a sync at the end of a run: those for whose rows something newer is known. If
 * a sync has very many open rejects, and its runs end every second, some ends leave this to a later one.
 */
export function createClosing(
  db: StateDatabase,
  { asking }: NewestAges,
): (of: OfSync) => Promise<void> {
  const notBefore = new Map<string, number>();
  return async ({ target, sync }) => {
    const name = JSON.stringify([target, sync]);
    const from = performance.now();
    if (from < (notBefore.get(name) ?? 0)) return;
    let looked = 0;
    const closed: (readonly Candidate[])[] = [];
    await asking(async (newestOf) => {
      for await (const some of overtaken(db.queries, { target, sync }, newestOf)) {
        looked += some.looked;
        if (some.closed.length > 0) closed.push(some.closed);
      }
    });
    for (const some of closed) {
      const [{ runId } = { runId: "" }] = some;
      await db.write(async (queries) => await close(queries, runId, some));
    }
    const to = performance.now();
    if (looked > lookedAtOnceMax) notBefore.set(name, to + timeShare * (to - from));
  };
}
