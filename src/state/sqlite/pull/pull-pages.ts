import { type PullPageStore } from "../../contract/pull/pull-pages.ts";
import type { PullStep } from "../../contract/pull/pull-places.ts";
import type { PullRuns } from "../../contract/pull/pull-runs.ts";
import type { Database } from "../database.ts";
import { createRejectInserts } from "../rejects/rejects.ts";
import type { PullDomains } from "./pull-domains.ts";
import { createPullKeys } from "./pull-keys.ts";
import type { PullPlaces } from "./pull-places.ts";

type Tables = {
  readonly places: PullPlaces;
  readonly domains: PullDomains;
  readonly runs: PullRuns;
};

function createCommit(
  db: Database,
  { places, domains, runs }: Tables,
): Pick<PullPageStore, "commitPage"> {
  const keys = createPullKeys(db);
  const addRejects = createRejectInserts(db);
  return {
    commitPage: ({ walk: behind, again, isRepeat, keys: seen, ...page }) =>
      db.write(() => {
        const { runId, version, target, pull, counts, rejects, isRefusal, at } = page;
        const name = { target, pull };
        places.assertHeld(runId);
        const place = places.load(name);
        if (place?.version !== version) return;
        const known = keys.add(name, seen);
        const walk = again !== undefined && keys.count(name) < again.keys ? again.walk : behind;
        addRejects({ runId, chunk: version, stage: 1 }, rejects, at);
        places.setPage(name, null);
        const listed = domains.count(name);
        const { ordinal, steps } = place;
        const isDomainOver = listed > 0 && walk === null;
        const isDone = walk === null && ordinal >= listed;
        runs.add(runId, {
          ...counts,
          results: isRefusal ? 0 : counts.read,
          refused: rejects.length,
          repeated: isRepeat === true ? 0 : known,
          pages: Number(!isRefusal),
          domainsDone: Number(isDomainOver && !isRefusal),
          domainsRefused: Number(isRefusal),
          roundsDone: Number(isDone),
        });
        places.save(name, {
          ...place,
          version: version + 1,
          steps: steps + 1,
          isAsking: false,
          walk,
          ordinal: isDomainOver ? ordinal + 1 : ordinal,
          isDone,
        });
      }),
  };
}

/** The pages of a SQLite store. */
export function createPullPageStore(db: Database, tables: Tables): PullPageStore {
  const { places, runs } = tables;
  const isHere = ({ target, pull, version }: PullStep): boolean =>
    places.load({ target, pull })?.version === version;
  return {
    ...createCommit(db, tables),
    beginCall: ({ callsMax, ...step }) =>
      db.write(() => {
        const { runId, version, target, pull } = step;
        const name = { target, pull };
        places.assertHeld(runId);
        const place = places.load(name);
        if (place?.version !== version || places.page(name) !== null) return "moved";
        if (runs.calls(runId) >= callsMax) return "ceiling";
        runs.add(runId, { calls: 1, possiblyPaidTwice: Number(place.isAsking) });
        places.save(name, { ...place, isAsking: true });
        return "granted";
      }),
    forgetCall: (step) =>
      db.write(() => {
        if (!isHere(step)) return;
        places.change(step, () => ({ isAsking: false }));
        runs.add(step.runId, { calls: -1 });
      }),
    keepPage: ({ page, ...step }) =>
      db.write(() => {
        if (!isHere(step) || places.page(step) !== null) return "moved";
        places.change(step, () => ({ isAsking: false }));
        places.setPage(step, page);
        return "kept";
      }),
    setWalk: ({ walk, ...step }) =>
      db.write(() => {
        if (isHere(step)) places.change(step, () => ({ walk }));
      }),
  };
}
