import type { Remote } from "../../../thread.ts";
import type { PageCommit, PullPageStore } from "../../contract/pull/pull-pages.ts";
import type { PullStep } from "../../contract/pull/pull-places.ts";
import { writes } from "../methods.ts";
import { insertRejects } from "../rejects/insert-rejects.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import { countDomains } from "./pull-domains.ts";
import { addPullKeys, countPullKeys } from "./pull-keys.ts";
import {
  assertPullHeld,
  changePlace,
  keptPage,
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
  if (place?.version !== version || (await keptPage(queries, name)) !== null) return "moved";
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

async function keepPage(
  queries: Queries,
  { page, ...step }: Parameters<PullPageStore["keepPage"]>[0],
): Promise<"kept" | "moved"> {
  if (!(await isHere(queries, step)) || (await keptPage(queries, step)) !== null) return "moved";
  await changePlace(queries, step, { isAsking: false });
  await setPage(queries, step, page);
  return "kept";
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
    setPass: writes(db, setPass),
    commitPage: writes(db, commitPage),
  };
}
