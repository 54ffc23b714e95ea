import type { Database } from "./database.ts";
import type { PullDomains } from "./pull-domains.ts";
import { createPullKeys } from "./pull-keys.ts";
import type { PullPlaces, PullStep } from "./pull-places.ts";
import type { PageCounts, PullRuns } from "./pull-runs.ts";
import { insertRejects, type RejectEntry } from "./rejects.ts";

/** A page that was written, or a domain that the service refused. */
export type PageCommit = PullStep & {
  /** Where the walk stands now; null when it has ended. */
  readonly walk: unknown;
  /** The walk that begins in place of an end while fewer than `keys` came in the round. */
  readonly again?: { readonly walk: unknown; readonly keys: number } | undefined;
  /** Whether the walk goes once more over results that came before, which are not repeated by that. @default false */
  readonly isRepeat?: boolean | undefined;
  readonly counts: PageCounts;
  readonly rejects: readonly RejectEntry[];
  /** The keys of the page's results: one that came before in this round counts as repeated. */
  readonly keys: readonly string[];
  /** Whether it is a domain that the service refused. */
  readonly isRefusal: boolean;
  readonly at: string;
};

/** Pages: the one that is paid for and not written yet, and what the calls for them may cost. */
export interface PullPageStore {
  /**
   * Counts a call before it leaves: `ceiling`, and nothing is counted, once the run has made `callsMax`; `moved` when another
   * attempt brought the page. A call for what one before may have brought already counts as possibly paid twice.
   * @throws {SupersededError} the run does not hold the pull's lock.
   */
  beginCall(input: PullStep & { readonly callsMax: number }): "granted" | "ceiling" | "moved";
  /** Ends a call that brought no page and certainly cost nothing: it is not counted. */
  forgetCall(input: PullStep): void;
  /** Keeps a page that came until it is written; `moved`, and nothing is kept, when another attempt has done so before. */
  keepPage(input: PullStep & { readonly page: unknown }): "kept" | "moved";
  /** Continues with another walk, without a page: one with smaller pages, or null for one that begins anew. */
  setWalk(input: PullStep & { readonly walk: unknown }): void;
  /**
   * Moves the place after a page: its counts and rejects, the walk, and the end of the kept page, in one transaction. Nothing
   * when another attempt has done so before.
   * @throws {SupersededError} the run does not hold the pull's lock.
   */
  commitPage(input: PageCommit): void;
}

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
  const addRejects = insertRejects(db);
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
export function createPullPages(db: Database, tables: Tables): PullPageStore {
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
