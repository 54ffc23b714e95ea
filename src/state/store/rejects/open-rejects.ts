import { type RawBuilder, sql } from "kysely";
import { z } from "zod";

import { refusedAgain } from "../../../records/reject-codes.ts";
import type { Remote } from "../../../thread.ts";
import {
  type OpenRejectsOf,
  openRejectsRow,
  type OpenRejectStore,
  type RunWithOpenRejects,
} from "../../contract/rejects/open-rejects.ts";
import { rejectRow, type StoredReject } from "../../contract/rejects/rejects.ts";
import { runKinds } from "../../contract/runs/runs.ts";
import { transactionRowsMax } from "../../limits.ts";
import { jsonMember } from "../dialect.ts";
import type { NewestAges, NewestOf } from "../keys/newest-ages.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import { ageOfReject, ageWhereRead, replayedAs } from "./reject-age.ts";
import { rejectColumns } from "./rejects.ts";

/** A run that may hold open rejects, and the set of its sync. */
const holderRow = z.object({
  runId: z.string(),
  sync: z.string(),
  kind: z.enum(runKinds),
  setId: z.int(),
});

type Holder = z.output<typeof holderRow>;

/**
 * What decides whether a reject is open; of whole ones the row has what else was asked for. Not looked at one by one:
 * `status` counts tens of thousands.
 */
type Candidate = {
  readonly chunk: number;
  readonly ordinal: number;
  readonly place: string;
  readonly key: string | null;
  readonly step: string;
  readonly code: string;
  readonly age: number;
};

/** Which rejects are asked for, and whether whole or to be counted. */
type Asked = OpenRejectsOf & {
  readonly key?: string | undefined;
  readonly isWhole: boolean;
  readonly runsMax?: number | undefined;
};

/** The runs since which no later one has read the whole source, newest first. */
async function holders(
  queries: Queries,
  { target, sync, runsMax = Number.MAX_SAFE_INTEGER }: Asked,
): Promise<Holder[]> {
  const ofSync = (column: string): RawBuilder<unknown> =>
    sync === undefined ? sql`` : sql`and ${sql.ref(column)} = ${sync}`;
  const { rows } = await sql`
    with whole as (
      select sync, max(rowid) as number from ${sql.table("runs")}
      where target = ${target} and kind = 'sync' and from_position is null
        and outcome in ('done', 'done_with_rejects')
        and ${jsonMember(queries, "request", "limit")} is null ${ofSync("sync")}
      group by sync
    )
    select u.run_id, u.sync, u.kind, coalesce(e.id, 0) as set_id from ${sql.table("runs")} u
    left join whole w on w.sync = u.sync
    left join ${sql.table("fingerprintSets")} e on e.target = u.target and e.sync = u.sync
    where u.target = ${target} and u.kind <> 'pull' and u.rowid >= coalesce(w.number, 0) ${ofSync("u.sync")}
      and exists (select 1 from ${sql.table("rejects")} r where r.run_id = u.run_id)
    order by u.rowid desc limit ${runsMax}`.execute(queries);
  return rows.map((row) => holderRow.parse(row));
}

/** The next rejects of a run of which a row could be sent that no replay has read. */
async function candidates(
  queries: Queries,
  { runId, kind, key, isWhole }: Pick<Asked, "key" | "isWhole"> & Pick<Holder, "runId" | "kind">,
  after: { readonly chunk: number; readonly ordinal: number },
): Promise<Candidate[]> {
  const columns = isWhole
    ? rejectColumns()
    : sql`r.chunk, r.ordinal, r.place, r.key, r.step, r.code`;
  const isReplay = kind === "replay";
  const { rows } = await sql<Candidate>`
    select ${columns}, ${isReplay ? ageOfReject() : ageWhereRead()} as age from ${sql.table("rejects")} r
    join ${sql.table("stagings")} s on s.run_id = r.run_id and s.chunk = r.chunk and s.stage = r.stage
    ${isReplay ? replayedAs() : sql``}
    where r.run_id = ${runId} and (r.chunk, r.ordinal) > (${after.chunk}, ${after.ordinal})
      and s.state = 'committed' and r.replayed_by is null and r.code not in ('row_gone', ${refusedAgain})
      ${key === undefined ? sql`` : sql`and r.key = ${key}`}
    order by r.chunk, r.ordinal limit ${transactionRowsMax}`.execute(queries);
  return rows;
}

/** Leaves out those of whose key a newer row was staged since; it says nothing of a second row of a key. */
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

/** Open rejects with the run that holds them, newest run first: some at a time. */
async function* openRejectsOf(
  queries: Queries,
  asked: Asked,
  newestOf: NewestOf,
): AsyncGenerator<{ readonly holder: Holder; readonly open: readonly Candidate[] }> {
  // By sync: of what rows a newer run holds a reject, by key or else by place.
  const newer = new Map<string, Set<string>>();
  for (const holder of await holders(queries, asked)) {
    const { runId, sync, kind, setId } = holder;
    const known = newer.get(sync) ?? new Set();
    newer.set(sync, known);
    const here: string[] = [];
    let after = { chunk: -1, ordinal: 0 };
    for (;;) {
      const found = await candidates(queries, { ...asked, runId, kind }, after);
      const last = found.at(-1);
      if (last === undefined) break;
      after = last;
      const open = await withoutOlder(found, setId, newestOf);
      const newest = open.filter(({ key, place }) => !known.has(key ?? place));
      here.push(...newest.map(({ key, place }) => key ?? place));
      const { code } = asked;
      yield { holder, open: newest.filter((each) => code === undefined || each.code === code) };
    }
    for (const row of here) known.add(row);
  }
}

async function runsWithOpenRejects(
  queries: Queries,
  { limit, ...asked }: Parameters<OpenRejectStore["runsWithOpenRejects"]>[0],
  newestOf: NewestOf,
): Promise<RunWithOpenRejects[]> {
  const counts = new Map<Holder, number>();
  for await (const { holder, open } of openRejectsOf(
    queries,
    { ...asked, isWhole: false },
    newestOf,
  )) {
    if (open.length > 0) counts.set(holder, (counts.get(holder) ?? 0) + open.length);
  }
  const found = [...counts].map(([holder, open]) => openRejectsRow.parse({ ...holder, open }));
  // What a replay was of comes before it; the order is stable otherwise.
  const inOrder = found.toSorted(
    (a, b) => Number(a.kind === "replay") - Number(b.kind === "replay"),
  );
  return limit === undefined ? inOrder : inOrder.slice(0, limit);
}

async function openRejects(
  queries: Queries,
  { limit, since, ...asked }: Parameters<OpenRejectStore["openRejects"]>[0],
  newestOf: NewestOf,
): Promise<StoredReject[]> {
  const found: StoredReject[] = [];
  for await (const { open } of openRejectsOf(queries, { ...asked, isWhole: true }, newestOf)) {
    for (const row of open) {
      const reject = rejectRow.parse(row);
      if (since === undefined || reject.createdAt >= since) found.push(reject);
    }
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** The open rejects of a store. */
export function createOpenRejectStore(
  { queries }: StateDatabase,
  { asking }: NewestAges,
): Remote<OpenRejectStore> {
  return {
    runsWithOpenRejects: async (input) =>
      await asking(async (newestOf) => await runsWithOpenRejects(queries, input, newestOf)),
    openRejects: async (input) =>
      await asking(async (newestOf) => await openRejects(queries, input, newestOf)),
  };
}
