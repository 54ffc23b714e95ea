import { type RawBuilder, sql } from "kysely";
import { z } from "zod";

import { refusedAgain } from "../../../records/reject-codes.ts";
import type { Remote } from "../../../thread.ts";
import { jsonColumn } from "../../contract/json-column.ts";
import {
  openRow,
  type ReplayCounts,
  type ReplayPage,
  type ReplayStore,
} from "../../contract/rejects/replays.ts";
import { transactionRowsMax } from "../../limits.ts";
import { textsOf } from "../lists.ts";
import { reads, writes } from "../methods.ts";
import { isOfStage, superseded } from "../sends/named.ts";
import { forgottenKey } from "../sends/sent-keys.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import { neverOpen, recountOpen } from "./insert-rejects.ts";
import { ageOfReject, replayedAs } from "./reject-age.ts";

const listedRow = z.object({
  number: z.int(),
  chunk: z.int(),
  ordinal: z.int(),
  place: z.string(),
  spanSend: z.int(),
  age: z.number(),
});

const keptRow = z.object({ to: jsonColumn });

const spanRow = z.object({ from: jsonColumn, to: jsonColumn });

/** Whether a reject of a run belongs to a replay, in SQL; one of an erased key has no row to read again. */
function isOfCode(code: string | undefined): RawBuilder<unknown> {
  const isOld = sql`r.code <> ${refusedAgain} and r.place <> ${forgottenKey}`;
  return code === undefined ? isOld : sql`${isOld} and r.code = ${code}`;
}

function countOf(condition: RawBuilder<unknown>): RawBuilder<number> {
  return sql`coalesce(sum(case when ${condition} then 1 else 0 end), 0)`;
}

async function replayCounts(
  queries: Queries,
  { run, code }: Parameters<ReplayStore["replayCounts"]>[0],
): Promise<ReplayCounts> {
  const isCommitted = sql`coalesce(s.state, '') = 'committed'`;
  const { rows } = await sql`
    select ${countOf(sql`${isCommitted} and r.replayed_by is null`)} as open,
      ${countOf(sql`r.replayed_by is not null and r.superseded = 0`)} as replayed,
      ${countOf(sql`r.superseded = 1`)} as superseded,
      ${countOf(sql`not ${isCommitted}`)} as uncommitted
    from ${sql.table("rejects")} r left join ${sql.table("stagings")} s using (run_id, chunk, stage)
    where r.run_id = ${run} and ${isOfCode(code)}`.execute(queries);
  return openRow.parse(rows[0]);
}

/** Lists the next rejects of a replay, and returns how many. */
async function listSome(
  queries: Queries,
  { runId, run, code }: Parameters<ReplayStore["listReplay"]>[0],
): Promise<number> {
  const staged = await queries
    .selectFrom("stagings")
    .select("send")
    .where("runId", "=", runId)
    .limit(1)
    .executeTakeFirst();
  if (staged !== undefined) return 0;
  const last = await queries
    .selectFrom("replays")
    .select(["number", "chunk", "ordinal"])
    .where("runId", "=", runId)
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst();
  const { number, chunk, ordinal } = last ?? { number: 0, chunk: 0, ordinal: 0 };
  // A row that a replay refused again keeps its age, and the span in which it was first refused: a list of ours is not
  // a source. A second row of a key lost against the first one, which may be from a newer file: it counts as older than
  // any.
  const { numAffectedRows = 0n } = await sql`
    insert into ${sql.table("replays")} (run_id, number, reject_run, chunk, ordinal, place, span_send, age)
    select ${runId}, ${number} + row_number() over (order by r.chunk, r.ordinal), r.run_id, r.chunk, r.ordinal,
      r.place, coalesce(p.span_send, s.send), ${ageOfReject()}
    from ${sql.table("rejects")} r
    join ${sql.table("stagings")} s on s.run_id = r.run_id and s.chunk = r.chunk and s.stage = r.stage
    join ${sql.table("runs")} u on u.run_id = r.run_id
    ${replayedAs()}
    where r.run_id = ${run} and (r.chunk, r.ordinal) > (${chunk}, ${ordinal}) and s.state = 'committed'
      and r.replayed_by is null and ${isOfCode(code)} and (u.kind <> 'replay' or p.number is not null)
    order by r.chunk, r.ordinal limit ${transactionRowsMax}`.execute(queries);
  return Number(numAffectedRows);
}

async function replayPage(
  queries: Queries,
  { runId, after, limit }: Parameters<ReplayStore["replayPage"]>[0],
): Promise<ReplayPage | undefined> {
  const found = await queries
    .selectFrom("replays")
    .select(["number", "chunk", "ordinal", "place", "spanSend", "age"])
    .where("runId", "=", runId)
    .where("number", ">", after)
    .orderBy("number")
    .limit(limit)
    .execute();
  const next = found.map((row) => listedRow.parse(row));
  const [head] = next;
  if (head === undefined) return undefined;
  const end = next.findIndex(({ spanSend }) => spanSend !== head.spanSend);
  const page = end === -1 ? next : next.slice(0, end);
  const span = await queries
    .selectFrom("stagings")
    .select(["fromPosition as from", "toPosition as to"])
    .where("send", "=", head.spanSend)
    .executeTakeFirst();
  return {
    places: page.map(({ place }) => place),
    ages: page.map(({ age }) => age),
    last: page.at(-1)?.number ?? head.number,
    ...spanRow.parse(span ?? { from: null, to: null }),
  };
}

/** The rejects of its list that a replay is done with, as a condition in SQL. */
type DoneOfReplay = {
  readonly runId: string;
  readonly which: RawBuilder<unknown>;
  readonly superseded: 0 | 1;
};

/** Closes rejects that a replay `p` lists and no other has taken; to be called inside a transaction. */
async function closeListed(
  queries: Queries,
  { runId, which, ...done }: DoneOfReplay,
): Promise<void> {
  await sql`
    update ${sql.table("rejects")} set replayed_by = ${runId}, superseded = ${done.superseded}, is_open = 0
    where replayed_by is null and (run_id, chunk, ordinal) in (
      select reject_run, chunk, ordinal from ${sql.table("replays")} p
      where run_id = ${runId} and ${which})`.execute(queries);
  const run = await listedRun(queries, runId);
  if (run !== undefined) await recountOpen(queries, run);
}

/** The run of which a replay takes the rejects; undefined if none are listed. */
async function listedRun(queries: Queries, runId: string): Promise<string | undefined> {
  const list = await queries
    .selectFrom("replays")
    .select("rejectRun")
    .where("runId", "=", runId)
    .limit(1)
    .executeTakeFirst();
  return list?.rejectRun;
}

/**
 * Marks the rejects that a chunk of a replay has taken, from number `from` (excluded) to `to`; to be called inside the
 * transaction that commits it.
 */
export async function markReplayed(
  queries: Queries,
  { runId, from, to }: { readonly runId: string; readonly from: number; readonly to: number },
): Promise<void> {
  const which = sql`number > ${from} and number <= ${to}`;
  await closeListed(queries, { runId, which, superseded: 0 });
}

/**
 * Opens the rejects again that a replay has found superseded in chunks that it gives up: the newer rows may have been
 * its own. What a part that was accepted did supersede, the next replay finds so again. To be called inside the
 * transaction that abandons these.
 */
export async function reopenSuperseded(queries: Queries, runId: string): Promise<void> {
  const run = await listedRun(queries, runId);
  if (run === undefined) return;
  const kept = await queries
    .selectFrom("stagings")
    .select("toPosition as to")
    .where("runId", "=", runId)
    .where("state", "in", ["staged", "committed"])
    .orderBy("chunk", "desc")
    .limit(1)
    .executeTakeFirst();
  const last = Number(keptRow.parse(kept ?? { to: null }).to);
  const never = textsOf(queries, [...neverOpen]);
  await sql`
    update ${sql.table("rejects")} set replayed_by = null, superseded = 0,
      is_open = case when code in ${never} then 0 else 1 end
    where replayed_by = ${runId} and superseded = 1 and (run_id, chunk, ordinal) in (
      select reject_run, chunk, ordinal from ${sql.table("replays")}
      where run_id = ${runId} and number > ${last})`.execute(queries);
  await recountOpen(queries, run, { haveOpened: true });
}

async function supersedeRejects(
  queries: Queries,
  { places, ...stage }: Parameters<ReplayStore["supersedeRejects"]>[0],
): Promise<void> {
  const { runId } = stage;
  // Its row is written, so that whoever gives the staging up meanwhile opens these rejects again.
  const { numUpdatedRows } = await queries
    .updateTable("stagings")
    .set({ state: "staging" })
    .where(isOfStage(stage))
    .where("state", "=", "staging")
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw superseded(stage);
  const which = sql`place in ${textsOf(queries, places)}`;
  await closeListed(queries, { runId, which, superseded: 1 });
}

/** The replays of a store. */
export function createReplayStore(db: StateDatabase): Remote<ReplayStore> {
  return {
    replayCounts: reads(db, replayCounts),
    listReplay: async (input) => {
      while ((await db.write(async (queries) => await listSome(queries, input))) > 0);
    },
    replayPage: reads(db, replayPage),
    supersedeRejects: writes(db, supersedeRejects),
  };
}
