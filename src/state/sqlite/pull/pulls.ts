import { type PullStore } from "../../contract/pull/pulls.ts";
import type { Database } from "../database.ts";
import { createPullDomains } from "./pull-domains.ts";
import { createPullPageStore } from "./pull-pages.ts";
import { createPullPlaces } from "./pull-places.ts";
import { createPullRounds } from "./pull-rounds.ts";
import { createPullRuns } from "./pull-runs.ts";

/** The pulls of a SQLite store. */
export function createPullStore(db: Database): PullStore {
  const runs = createPullRuns(db);
  const tables = { places: createPullPlaces(db), domains: createPullDomains(db), runs };
  return {
    ...createPullRounds(db, tables),
    ...createPullPageStore(db, tables),
    pullTally: (input) => runs.pullTally(input),
  };
}
