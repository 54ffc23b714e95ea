import { type RawBuilder, sql } from "kysely";

import type { Moment } from "../../../clock.ts";
import type { Remote } from "../../../thread.ts";
import {
  type DoubtFacts,
  type DoubtfulRecord,
  doubtfulRow,
  type DoubtStore,
} from "../../contract/doubts/doubt-store.ts";
import { hostForgottenMs } from "../../limits.ts";
import { findSet, setIdOf } from "../keys/fingerprint-sets.ts";
import { integersOf } from "../lists.ts";
import { byClock, reads, writes } from "../methods.ts";
import type { SentKeys } from "../sends/sent-keys.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import { isOver, leftMs, type PendingRequest } from "./request-window.ts";
import { concerningRequests, endUnknown } from "./requests.ts";
import { findStrays, forgetOver } from "./settling.ts";

/** 1 if the request of a row may still be applied after so many ms, otherwise 0; a forgotten request may not. */
function isLanding(
  queries: Queries,
  { ms, pending, now }: { ms: number; pending: readonly PendingRequest[]; now: Moment },
): RawBuilder<number> {
  const landing = pending.filter((each) => each.isOpen || leftMs(each, now) > ms);
  const numbers = landing.map(({ request }) => request);
  return sql`case when request in ${integersOf(queries, numbers)} then 1 else 0 end`;
}

async function countOf(queries: Queries, counted: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{
    readonly count: number;
  }>`select count(*) as count from (${counted}) counted`.execute(queries);
  return rows[0]?.count ?? 0;
}

/** The facts of what is in doubt; to be called inside a transaction. */
async function factsOf(queries: Queries, setId: number, now: Moment): Promise<DoubtFacts> {
  const pending = await concerningRequests(queries, setId);
  const landing = pending.filter((each) => each.setId === setId && !isOver(each, now));
  const records = landing.flatMap(({ ranges }) => ranges.map(([from, to]) => to - from));
  const isOpen = landing.some((each) => each.isOpen);
  const doubts = sql`from ${sql.table("doubts")} where set_id = ${setId}`;
  const isWaiting = sql`${doubts} and send is not null and is_lost = 0`;
  const dueAfter = async (ms: number): Promise<number> =>
    await countOf(
      queries,
      sql`select key ${isWaiting} group by key having max(${isLanding(queries, { ms, pending, now })}) = 0`,
    );
  const due = await dueAfter(0);
  const waiting = pending.filter((each) => !each.isOpen && !isOver(each, now));
  const ends = waiting.map((each) => leftMs(each, now));
  return {
    inDoubt: await countOf(queries, sql`select distinct key ${isWaiting}`),
    lost: await countOf(queries, sql`select distinct key ${doubts} and is_lost = 1`),
    due,
    waitMs: await firstWith(ends, async (ms) => (await dueAfter(ms)) > due),
    pending: records.reduce((sum, each) => sum + each, 0),
    pendingMs: isOpen ? undefined : Math.max(0, ...landing.map((each) => leftMs(each, now))),
    stray: await countOf(
      queries,
      sql`select key from ${sql.table("strayKeys")} where set_id = ${setId}`,
    ),
  };
}

/** The smallest of some numbers that passes a test. */
async function firstWith(
  numbers: readonly number[],
  passes: (number: number) => Promise<boolean>,
): Promise<number | undefined> {
  for (const number of numbers.toSorted((one, other) => one - other)) {
    if (await passes(number)) return number;
  }
  return undefined;
}

type Input<Name extends keyof DoubtStore> = Parameters<DoubtStore[Name]>[0];

async function doubtfulRecords(
  queries: Queries,
  { after, now, limit, ...name }: Input<"doubtfulRecords">,
): Promise<DoubtfulRecord[]> {
  const setId = await setIdOf(queries, name);
  const pending = await concerningRequests(queries, setId);
  const { rows } = await sql`
    select key, s.send, record, run_id, chunk, stage, host from (
      select key, send, record, row_number() over (partition by key order by send desc, record desc) as place,
        max(${isLanding(queries, { ms: 0, pending, now })}) over (partition by key) as waits
      from ${sql.table("doubts")} where set_id = ${setId} and send is not null and next_send is null and is_lost = 0
        and (send, record) > (${after.send}, ${after.record})) d
    join ${sql.table("stagings")} s on s.send = d.send
    where place = 1 and waits = 0 order by s.send, record limit ${limit}`.execute(queries);
  return rows.map((row) => doubtfulRow.parse(row));
}

async function loseLines(queries: Queries, { send }: Input<"loseLines">): Promise<void> {
  await queries.updateTable("doubts").set({ isLost: 1 }).where("send", "=", send).execute();
}

/**
 * Abandons the lines on other hosts that could have been sent again for `hostForgottenMs`, if their host was not heard
 * of in that time: a worker there would have sent them.
 */
async function loseLinesOfLostHosts(
  queries: Queries,
  { setId, now, hostId }: { setId: number; now: Moment; hostId: string },
): Promise<void> {
  const pending = await concerningRequests(queries, setId);
  const wasLanding = isLanding(queries, { ms: -hostForgottenMs, pending, now });
  const doubts = sql.table("doubts");
  await sql`
    update ${doubts} set is_lost = 1
    where set_id = ${setId} and is_lost = 0 and next_send is null
      and key in (select key from ${doubts} where set_id = ${setId} group by key having max(${wasLanding}) = 0)
      and send in (select send from ${sql.table("stagings")} where host <> ${hostId} and host not in (
        select host_id from ${sql.table("hosts")} where last_beat >= ${now.nowMs - hostForgottenMs}))`.execute(
    queries,
  );
}

async function openSenders(queries: Queries, { but }: Input<"openSenders">): Promise<string[]> {
  const found = await queries
    .selectFrom("requests")
    .select("process")
    .distinct()
    .where("isOpen", "=", 1)
    .where("process", "<>", but)
    .execute();
  return found.map(({ process }) => process);
}

async function endSender(queries: Queries, { process, now }: Input<"endSender">): Promise<void> {
  const open = await queries
    .selectFrom("requests")
    .select("request")
    .where("isOpen", "=", 1)
    .where("process", "=", process)
    .execute();
  for (const { request } of open) await endUnknown(queries, request, now);
}

async function lostKeys(
  queries: Queries,
  { limit, ...name }: Input<"lostKeys">,
): Promise<string[]> {
  const found = await queries
    .selectFrom("doubts")
    .select("key")
    .distinct()
    .where("setId", "=", await setIdOf(queries, name))
    .where("isLost", "=", 1)
    .orderBy("key")
    .limit(limit)
    .execute();
  return found.map(({ key }) => key);
}

async function doubtfulSyncs(
  queries: Queries,
  { limit }: Input<"doubtfulSyncs">,
): Promise<ReturnType<DoubtStore["doubtfulSyncs"]>> {
  return await queries
    .selectFrom("fingerprintSets as f")
    .select(["target", "sync"])
    .where((eb) =>
      eb.or([
        eb.exists(eb.selectFrom("doubts as d").select("d.key").whereRef("d.setId", "=", "f.id")),
        eb.exists(eb.selectFrom("strayKeys as k").select("k.key").whereRef("k.setId", "=", "f.id")),
      ]),
    )
    .orderBy("sync")
    .orderBy("target")
    .limit(limit)
    .execute();
}

async function forgetDoubts(queries: Queries, name: Input<"forgetDoubts">): Promise<void> {
  const { id: setId = 0, validAfter = 0 } = (await findSet(queries, name)) ?? {};
  const doubts = sql.table("doubts");
  // A run that began since leaves its own keys in doubt, and what they were before counts no longer.
  await sql`delete from ${doubts}
    where set_id = ${setId} and coalesce(next_send, send, 0) <= ${validAfter}`.execute(queries);
  await sql`update ${doubts} set send = null, record = null, is_lost = 0
    where set_id = ${setId} and send <= ${validAfter}`.execute(queries);
  await queries.deleteFrom("strayKeys").where("setId", "=", setId).execute();
}

async function strayKeys(
  queries: Queries,
  { limit, ...name }: Input<"strayKeys">,
): Promise<ReturnType<DoubtStore["strayKeys"]>> {
  return await queries
    .selectFrom("strayKeys")
    .select(["key", "runId"])
    .where("setId", "=", await setIdOf(queries, name))
    .orderBy("key")
    .limit(limit)
    .execute();
}

async function keptStages(
  queries: Queries,
  { runId }: Input<"keptStages">,
): Promise<ReturnType<DoubtStore["keptStages"]>> {
  return await queries
    .selectFrom("doubts as d")
    .innerJoin("stagings as s", (join) =>
      join.on((eb) =>
        eb.or([
          // Nobody asks any more for a line that is lost, or that the service refused.
          eb.and([eb("s.send", "=", eb.ref("d.send")), eb("d.isLost", "=", 0)]),
          eb("s.send", "=", eb.ref("d.nextSend")),
        ]),
      ),
    )
    .select(["s.chunk", "s.stage"])
    .distinct()
    .where("s.runId", "=", runId)
    .execute();
}

/** What is in doubt in a store. */
export function createDoubtStore(db: StateDatabase, sentKeys: SentKeys): Remote<DoubtStore> {
  return {
    doubtfulRecords: reads(db, byClock(db, doubtfulRecords)),
    loseLines: writes(db, loseLines),
    openSenders: reads(db, openSenders),
    endSender: writes(db, byClock(db, endSender)),
    settleDoubts: writes(
      db,
      byClock(db, async (queries, { now, madeBy, hostId, ...name }: Input<"settleDoubts">) => {
        const setId = await setIdOf(queries, name);
        await loseLinesOfLostHosts(queries, { setId, now, hostId });
        if (madeBy !== undefined) await findStrays(queries, sentKeys, { setId, madeBy });
        await forgetOver(queries, setId, now);
        return await factsOf(queries, setId, now);
      }),
    ),
    doubtFacts: reads(
      db,
      byClock(
        db,
        async (queries, { now, ...name }: Input<"doubtFacts">) =>
          await factsOf(queries, await setIdOf(queries, name), now),
      ),
    ),
    lostKeys: reads(db, lostKeys),
    doubtfulSyncs: reads(db, doubtfulSyncs),
    forgetDoubts: writes(db, forgetDoubts),
    strayKeys: reads(db, strayKeys),
    keptStages: reads(db, keptStages),
  };
}
