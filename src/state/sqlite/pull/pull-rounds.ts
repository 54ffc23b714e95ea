import { SupersededError } from "../../../errors.ts";
import type { PullName } from "../../contract/pull/pull-places.ts";
import { type PullBeginning, type PullRoundStore } from "../../contract/pull/pull-rounds.ts";
import type { PullRuns } from "../../contract/pull/pull-runs.ts";
import type { Database } from "../database.ts";
import { createRejectInserts } from "../rejects/rejects.ts";
import type { PullDomains } from "./pull-domains.ts";
import { createPullKeys } from "./pull-keys.ts";
import type { PullPlaces, StoredPlace } from "./pull-places.ts";

/** The chunk of the reject store that the rows without a domain go to; pages count from 1. */
const listing = 0;

/**
 * Whether a round continues as the pull is now; pages of two queries, or rows written in two ways, would mix
 * two pulls.
 */
function goesOn(place: StoredPlace, now: PullBeginning): boolean {
  const isSameWriting = place.writeHash === now.writeHash || place.steps === 0;
  // A second opening of the run that asked for a new round continues with that.
  if (now.anew && place.begunBy !== now.runId) return false;
  return !place.isDone && place.queryHash === now.queryHash && isSameWriting;
}

function begun(now: PullBeginning, version: number): StoredPlace {
  const { runId: begunBy, queryHash, writeHash, hasDomains } = now;
  const none = { ordinal: 0, walk: null, isAsking: false, isDone: false, steps: 0 };
  return { version, begunBy, queryHash, writeHash, isListed: !hasDomains, ...none };
}

type Tables = {
  readonly places: PullPlaces;
  readonly domains: PullDomains;
  readonly runs: PullRuns;
};

function createListing(
  db: Database,
  { places, domains, runs }: Tables,
): Pick<PullRoundStore, "addDomains" | "beginListing"> {
  const addRejects = createRejectInserts(db);
  const ofListing = `from rejects where run_id = $runId and chunk = ${listing}`;
  const clearRejects = db.prepare(`delete ${ofListing}`);
  return {
    beginListing: ({ runId, target, pull }) => {
      const name = { target, pull };
      const version = db.write(() => {
        places.assertHeld(runId);
        const refused = Number(clearRejects.run({ runId }).changes);
        runs.add(runId, { read: -refused, refused: -refused });
        const next = (places.load(name)?.version ?? 0) + 1;
        places.change(name, () => ({ version: next }));
        return next;
      });
      // Behind the new version: an attempt that still lists under the old one adds nothing in between.
      domains.clear(name);
      return version;
    },
    addDomains: ({ domains: added, rejects, isLast, at, ...step }) =>
      db.write(() => {
        const { runId, version, target, pull } = step;
        const name = { target, pull };
        places.assertHeld(runId);
        const place = places.load(name);
        if (place?.version !== version || place.isListed) {
          throw new SupersededError(`run ${runId}: another attempt lists the domains of ${pull}`);
        }
        domains.add(name, added);
        addRejects({ runId, chunk: listing, stage: 1 }, rejects, at);
        const { length: refused } = rejects;
        const size = domains.count(name);
        const isDone = isLast && size === 0;
        runs.add(runId, { read: refused, refused, roundsDone: Number(isDone) });
        if (!isLast) return size;
        runs.setDomains(runId, size);
        const listed = { version: version + 1, isListed: true, ordinal: 1, isDone };
        places.save(name, { ...place, ...listed });
        return size;
      }),
  };
}

/** The rounds of a SQLite store. */
export function createPullRounds(db: Database, tables: Tables): PullRoundStore {
  const { places, domains, runs } = tables;
  const keys = createPullKeys(db);
  /** A round whose domains were being forgotten when a process died has none to continue with. */
  const hasDomain = (name: PullName, place: StoredPlace): boolean =>
    place.ordinal === 0 || domains.at(name, place.ordinal) !== undefined;
  return {
    ...createListing(db, tables),
    pullPlace: ({ target, pull }) => {
      const name = { target, pull };
      const place = places.load(name);
      if (place === undefined) return undefined;
      return { ...place, domain: domains.at(name, place.ordinal), page: places.page(name) };
    },
    beginPull: (now) => {
      const { runId, writeHash, target, pull } = now;
      const name = { target, pull };
      // Before anything is forgotten: the round may be that of the run which has the lock now.
      places.assertHeld(runId);
      const before = places.load(name);
      const isKept = before !== undefined && goesOn(before, now) && hasDomain(name, before);
      const kept = isKept ? before : undefined;
      if (kept === undefined) {
        // Before the round begins: what a crash would leave behind would pass for its own.
        keys.clear(name);
        domains.clear(name);
      }
      db.write(() => {
        places.assertHeld(runId);
        runs.open({ runId, isContinued: kept !== undefined && kept.begunBy !== runId });
        if (kept === undefined) {
          places.setPage(name, null);
          places.save(name, begun(now, (before?.version ?? 0) + 1));
        } else {
          places.save(name, { ...kept, writeHash });
          if (kept.isListed) runs.setDomains(runId, domains.count(name));
        }
      });
    },
  };
}
