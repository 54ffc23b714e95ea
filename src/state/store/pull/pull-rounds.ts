import { sql } from "kysely";

import { SupersededError } from "../../../errors.ts";
import type { Remote } from "../../../thread.ts";
import type { PullName, StoredPlace } from "../../contract/pull/pull-places.ts";
import {
  isSameRound,
  type ListedDomains,
  type PullBeginning,
  type PullPlace,
  type PullRoundStore,
} from "../../contract/pull/pull-rounds.ts";
import { transactionRowsMax } from "../../limits.ts";
import { inSteps, reads, writes } from "../methods.ts";
import { insertRejects } from "../rejects/insert-rejects.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import { addDomainsTo, countDomains, domainAt } from "./pull-domains.ts";
import {
  assertPullHeld,
  changePlace,
  keptPage,
  placeOfPull,
  savePlace,
  setPage,
} from "./pull-places.ts";
import { addToPullRun, callsOf, hasEndedRound, openPullRun, setPullDomains } from "./pull-runs.ts";

/** The chunk under which rows without a domain are rejected; pages count from 1. */
const listing = 0;

/** Whether a run continues with a round. */
function goesOn(place: StoredPlace, now: PullBeginning): boolean {
  // A second opening of the run that asked for a new round continues with that.
  if (now.anew && place.begunBy !== now.runId) return false;
  return isSameRound(place, now);
}

function begun(now: PullBeginning, version: number): StoredPlace {
  const { runId: begunBy, queryHash, writeHash, hasDomains } = now;
  const none = { ordinal: 0, pass: null, isAsking: false, isDone: false, steps: 0 };
  return { version, begunBy, queryHash, writeHash, isListed: !hasDomains, ...none };
}

/** @throws {SupersededError} */
function anotherLists(runId: string, pull: string): never {
  throw new SupersededError(`run ${runId}: another attempt lists the domains of ${pull}`);
}

async function moveToListing(
  queries: Queries,
  { runId, target, pull }: Parameters<PullRoundStore["beginListing"]>[0],
): Promise<number> {
  const name = { target, pull };
  await assertPullHeld(queries, runId);
  const place = await placeOfPull(queries, name);
  if (place?.isListed === true) anotherLists(runId, pull);
  const { numDeletedRows } = await queries
    .deleteFrom("rejects")
    .where("runId", "=", runId)
    .where("chunk", "=", listing)
    .executeTakeFirstOrThrow();
  const refused = Number(numDeletedRows);
  await addToPullRun(queries, runId, { read: -refused, refused: -refused });
  const next = (place?.version ?? 0) + 1;
  await changePlace(queries, name, { version: next });
  return next;
}

async function addDomains(
  queries: Queries,
  { domains: added, rejects, isLast, at, ...step }: ListedDomains,
): Promise<number> {
  const { runId, version, target, pull } = step;
  const name = { target, pull };
  await assertPullHeld(queries, runId);
  const place = await placeOfPull(queries, name);
  if (place?.version !== version || place.isListed) anotherLists(runId, pull);
  await addDomainsTo(queries, name, added);
  await insertRejects(queries, { runId, chunk: listing, stage: 1, rejects, at });
  const { length: refused } = rejects;
  const size = await countDomains(queries, name);
  const isDone = isLast && size === 0;
  await addToPullRun(queries, runId, { read: refused, refused, roundsDone: Number(isDone) });
  if (!isLast) return size;
  await setPullDomains(queries, runId, size);
  const listed = { version: version + 1, isListed: true, ordinal: 1, isDone };
  await savePlace(queries, name, { ...place, ...listed });
  return size;
}

async function pullPlace(
  queries: Queries,
  { target, pull }: PullName,
): Promise<PullPlace | undefined> {
  const name = { target, pull };
  const place = await placeOfPull(queries, name);
  if (place === undefined) return undefined;
  const domain = await domainAt(queries, name, place.ordinal);
  return { ...place, domain, page: await keptPage(queries, name) };
}

/** The place that a pull continues with; undefined if it begins a new round. */
async function keptPlace(queries: Queries, now: PullBeginning): Promise<StoredPlace | undefined> {
  const { target, pull } = now;
  const before = await placeOfPull(queries, { target, pull });
  if (before === undefined) return undefined;
  // An attempt that is late begins no other round than the one that its run has ended.
  if (before.isDone && (await hasEndedRound(queries, now.runId))) return before;
  if (!goesOn(before, now)) return undefined;
  // A round whose domains were being forgotten when a process died has none to continue with.
  if (before.ordinal === 0) return before;
  const domain = await domainAt(queries, { target, pull }, before.ordinal);
  return domain === undefined ? undefined : before;
}

/** Begins a new round, once everything of the one before is forgotten, or continues with the kept one. */
async function openRound(queries: Queries, now: PullBeginning): Promise<void> {
  const { runId, configHash, writeHash, target, pull } = now;
  const name = { target, pull };
  await assertPullHeld(queries, runId);
  const kept = await keptPlace(queries, now);
  const isContinued = kept !== undefined && kept.begunBy !== runId;
  await openPullRun(queries, { runId, isContinued });
  if ((await callsOf(queries, runId)) === 0) {
    await queries.updateTable("runs").set({ configHash }).where("runId", "=", runId).execute();
  }
  if (kept === undefined) {
    const version = ((await placeOfPull(queries, name))?.version ?? 0) + 1;
    await setPage(queries, name, null);
    await savePlace(queries, name, begun(now, version));
    return;
  }
  await savePlace(queries, name, { ...kept, writeHash });
  if (kept.isListed) await setPullDomains(queries, runId, await countDomains(queries, name));
}

/**
 * Removes the rows of a pull's round from a table, by its own column, `transactionRowsMax` rows a transaction.
 * @param isWanted asked in each of them: a successor of this attempt may have begun what it would remove.
 */
async function clear(
  db: StateDatabase,
  { target, pull, isWanted }: PullName & { isWanted: (queries: Queries) => Promise<boolean> },
  [table, own]: readonly [table: "pullDomains" | "pullKeys", own: string],
): Promise<void> {
  const [rows, column] = [sql.table(table), sql.ref(own)];
  await inSteps(db, async (queries) => {
    if (!(await isWanted(queries))) return 0;
    const { numAffectedRows = 0n } = await sql`
      delete from ${rows} where target = ${target} and pull = ${pull} and ${column} in (
        select ${column} from ${rows} where target = ${target} and pull = ${pull}
        limit ${transactionRowsMax})`.execute(queries);
    return Number(numAffectedRows);
  });
}

async function beginPull(db: StateDatabase, now: PullBeginning): Promise<void> {
  const { runId, target, pull } = now;
  // Before anything is forgotten: the round may belong to the run that has the lock now.
  await assertPullHeld(db.queries, runId);
  if ((await keptPlace(db.queries, now)) === undefined) {
    const isWanted = async (queries: Queries): Promise<boolean> => {
      await assertPullHeld(queries, runId);
      return (await keptPlace(queries, now)) === undefined;
    };
    // Before the round begins: rows that a crash left behind would otherwise pass for its own.
    await clear(db, { target, pull, isWanted }, ["pullKeys", "key"]);
    await clear(db, { target, pull, isWanted }, ["pullDomains", "ordinal"]);
  }
  await db.write(async (queries) => await openRound(queries, now));
}

/** The rounds of a store. */
export function createPullRounds(db: StateDatabase): Remote<PullRoundStore> {
  return {
    beginPull: async (now) => await beginPull(db, now),
    pullPlace: reads(db, pullPlace),
    beginListing: async (input) => {
      const version = await db.write(async (queries) => await moveToListing(queries, input));
      // After the new version: an attempt that still lists under the old one adds nothing in between.
      const { target, pull } = input;
      const isWanted = async (queries: Queries): Promise<boolean> =>
        (await placeOfPull(queries, { target, pull }))?.version === version;
      await clear(db, { target, pull, isWanted }, ["pullDomains", "ordinal"]);
      return version;
    },
    addDomains: writes(db, addDomains),
  };
}
