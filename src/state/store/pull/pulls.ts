import type { Remote } from "../../../thread.ts";
import { type PullStore } from "../../contract/pull/pulls.ts";
import { reads } from "../methods.ts";
import type { StateDatabase } from "../state-database.ts";
import { createPullPageStore } from "./pull-pages.ts";
import { createPullRounds } from "./pull-rounds.ts";
import { pullTally } from "./pull-runs.ts";

/** The pulls of a store. */
export function createPullStore(db: StateDatabase): Remote<PullStore> {
  return {
    ...createPullRounds(db),
    ...createPullPageStore(db),
    pullTally: reads(db, pullTally),
  };
}
