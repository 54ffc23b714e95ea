import { sql } from "kysely";

import {
  type PullAmounts,
  type PullTally,
  pullTallyRow,
  type PullTallyStore,
} from "../../contract/pull/pull-runs.ts";
import type { Queries } from "../state-database.ts";

/** Begins the counts of a run of a pull, unless they are begun already; to be called inside a transaction. */
export async function openPullRun(
  queries: Queries,
  { runId, isContinued }: { readonly runId: string; readonly isContinued: boolean },
): Promise<void> {
  await queries
    .insertInto("pullRuns")
    .values({ runId, isContinued: Number(isContinued) })
    .onConflict((conflict) => conflict.column("runId").doNothing())
    .execute();
}

/** Sets the number of domains of a run's round; to be called inside a transaction. */
export async function setPullDomains(
  queries: Queries,
  runId: string,
  domains: number,
): Promise<void> {
  await queries.updateTable("pullRuns").set({ domains }).where("runId", "=", runId).execute();
}

/** Adds to the counts of a run of a pull; to be called inside a transaction. */
export async function addToPullRun(
  queries: Queries,
  runId: string,
  added: Partial<PullAmounts>,
): Promise<void> {
  const sums = Object.entries({ ...added }).map(([name, amount]) => {
    const column = sql.ref(name === "possiblyPaidTwice" ? "paidTwice" : name);
    return sql`${column} = ${column} + ${amount}`;
  });
  await sql`
    update ${sql.table("pullRuns")} set ${sql.join(sums)} where run_id = ${runId}`.execute(queries);
}

/** How many calls a run of a pull has made. */
export async function callsOf(queries: Queries, runId: string): Promise<number> {
  const found = await queries
    .selectFrom("pullRuns")
    .select("calls")
    .where("runId", "=", runId)
    .executeTakeFirst();
  return found?.calls ?? 0;
}

/** Whether a run of a pull came to the end of its round. */
export async function hasEndedRound(queries: Queries, runId: string): Promise<boolean> {
  const found = await queries
    .selectFrom("pullRuns")
    .select("roundsDone")
    .where("runId", "=", runId)
    .executeTakeFirst();
  return (found?.roundsDone ?? 0) > 0;
}

/** The store's own counts of a run of a pull; undefined if it never began. */
export async function pullTally(
  queries: Queries,
  { runId }: Parameters<PullTallyStore["pullTally"]>[0],
): Promise<PullTally | undefined> {
  const found = await queries
    .selectFrom("pullRuns")
    .selectAll()
    .select("paidTwice as possiblyPaidTwice")
    .select((eb) =>
      eb
        .selectFrom("rejects")
        .select((of) => of.fn.countAll<number>().as("count"))
        .where("runId", "=", runId)
        .as("rejected"),
    )
    .where("runId", "=", runId)
    .executeTakeFirst();
  return found === undefined ? undefined : pullTallyRow.parse(found);
}
