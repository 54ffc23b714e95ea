import type { Database } from "./database.ts";
import { createPullDomains } from "./pull-domains.ts";
import { createPullPages, type PullPageStore } from "./pull-pages.ts";
import { createPullPlaces } from "./pull-places.ts";
import { createPullRounds, type PullRoundStore } from "./pull-rounds.ts";
import { createPullRuns, type PullTallyStore } from "./pull-runs.ts";

/** Pulls: where each stands, the page that is paid for and not written yet, and what became of what came. */
export type PullStore = PullRoundStore & PullPageStore & PullTallyStore;

/** The name of a pull's lock. */
export function pullLock(target: string, pull: string): string {
  return `pull ${pull} from ${target}`;
}

/** The pulls of a SQLite store. */
export function createPullStore(db: Database): PullStore {
  const runs = createPullRuns(db);
  const tables = { places: createPullPlaces(db), domains: createPullDomains(db), runs };
  return {
    ...createPullRounds(db, tables),
    ...createPullPages(db, tables),
    pullTally: (input) => runs.pullTally(input),
  };
}
