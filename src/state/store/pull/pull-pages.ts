import type { Remote } from "../../../thread.ts";
import type { KeptPage, PageCommit, PullPageStore } from "../../contract/pull/pull-pages.ts";
import type { PullStep, StoredPlace } from "../../contract/pull/pull-places.ts";
import { reads, writes } from "../methods.ts";
import { insertRejects } from "../rejects/insert-rejects.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import { countDomains } from "./pull-domains.ts";
import { addPullKeys, countPullKeys } from "./pull-keys.ts";
import {
  assertPullHeld,
  changePlace,
  hasPage,
  placeOfPull,
  savePlace,
  setPage,
} from "./pull-places.ts";
import { addToPullRun, callsOf } from "./pull-runs.ts";

async function commitPage(
  queries: Queries,
  { pass: behind, again, isRepeat, isBegun, keys: seen, ...page }: PageCommit,
): Promise<void> {
  const { runId, version, target, pull, counts, rejects, isRefusal, at } = page;
  const name = { target, pull };
  await assertPullHeld(queries, runId);
  const place = await placeOfPull(queries, name);
  if (place?.version !== version) return;
  const known = await addPullKeys(queries, name, seen);
  const isAgain = again !== undefined && (await countPullKeys(queries, name)) < again.keys;
  const pass = isAgain ? again.pass : behind;
  await insertRejects(queries, { runId, chunk: version, stage: 1, rejects, at });
  await setPage(queries, name, null);
  const listed = await countDomains(queries, name);
  const { ordinal, steps } = place;
  const isDomainOver = listed > 0 && pass === null;
  const isRefused = isRefusal && isBegun !== true;
  const isDone = pass === null && ordinal >= listed;
  await addToPullRun(queries, runId, {
    ...counts,
    results: isRefusal ? 0 : counts.read,
    refused: rejects.length,
    repeated: isRepeat === true ? 0 : known,
    pages: Number(!isRefusal),
    domainsDone: Number(isDomainOver && !isRefused),
    domainsRefused: Number(isRefused),
    roundsDone: Number(isDone),
  });
  await savePlace(queries, name, {
    ...place,
    version: version + 1,
    steps: steps + 1,
    isAsking: false,
    pass,
    ordinal: isDomainOver ? ordinal + 1 : ordinal,
    isDone,
  });
}

async function isHere(queries: Queries, { target, pull, version }: PullStep): Promise<boolean> {
  return (await placeOfPull(queries, { target, pull }))?.version === version;
}

async function beginCall(
  queries: Queries,
  { callsMax, runId, version, target, pull }: Parameters<PullPageStore["beginCall"]>[0],
): Promise<"granted" | "ceiling" | "moved"> {
  const name = { target, pull };
  await assertPullHeld(queries, runId);
  const place = await placeOfPull(queries, name);
  if (place?.version !== version || (await hasPage(queries, name))) return "moved";
  if ((await callsOf(queries, runId)) >= callsMax) return "ceiling";
  await addToPullRun(queries, runId, { calls: 1, possiblyPaidTwice: Number(place.isAsking) });
  await savePlace(queries, name, { ...place, isAsking: true });
  return "granted";
}

async function forgetCall(
  queries: Queries,
  { wasAsking, ...step }: Parameters<PullPageStore["forgetCall"]>[0],
): Promise<void> {
  if (!(await isHere(queries, step))) return;
  await changePlace(queries, step, { isAsking: wasAsking });
  await addToPullRun(queries, step.runId, { calls: -1, possiblyPaidTwice: -Number(wasAsking) });
}

/**
 * Drops the pages that wait to be written into the rows of a page that has just come, and is newer: their pulls ask for
 * them again, and so does this one if its former name or target comes back.
 */
async function forgetOlderPages(
  queries: Queries,
  { target, pull, alsoWrites = [] }: KeptPage,
  { writeHash }: StoredPlace,
): Promise<void> {
  const kept = await queries.selectFrom("pullPages").select(["target", "pull"]).execute();
  for (const name of kept) {
    if (name.target === target && name.pull === pull) continue;
    const isSameWriting = (await placeOfPull(queries, name))?.writeHash === writeHash;
    if (!isSameWriting && !alsoWrites.includes(name.pull)) continue;
    await setPage(queries, name, null);
    await changePlace(queries, name, { isAsking: true });
  }
}

async function keepPage(queries: Queries, kept: KeptPage): Promise<"kept" | "moved"> {
  const place = await placeOfPull(queries, kept);
  if (place?.version !== kept.version || (await hasPage(queries, kept))) return "moved";
  await forgetOlderPages(queries, kept, place);
  await savePlace(queries, kept, { ...place, isAsking: false });
  await setPage(queries, kept, kept.page);
  return "kept";
}

async function isPageKept(queries: Queries, step: PullStep): Promise<boolean> {
  return (await isHere(queries, step)) && (await hasPage(queries, step));
}

async function setPass(
  queries: Queries,
  { pass, ...step }: Parameters<PullPageStore["setPass"]>[0],
): Promise<void> {
  if (await isHere(queries, step)) await changePlace(queries, step, { pass });
}

/** The pages of a store. */
export function createPullPageStore(db: StateDatabase): Remote<PullPageStore> {
  return {
    beginCall: writes(db, beginCall),
    forgetCall: writes(db, forgetCall),
    keepPage: writes(db, keepPage),
    isPageKept: reads(db, isPageKept),
    setPass: writes(db, setPass),
    commitPage: writes(db, commitPage),
  };
}
