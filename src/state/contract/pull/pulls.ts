import { type PullPageStore } from "./pull-pages.ts";
import { type PullRoundStore } from "./pull-rounds.ts";
import { type PullTallyStore } from "./pull-runs.ts";

/** Pulls: the place of each, the page that is paid for and not written yet, and what became of the results. */
export type PullStore = PullRoundStore & PullPageStore & PullTallyStore;

/** The name of a pull's lock. */
export function pullLock(target: string, pull: string): string {
  return `pull ${pull} from ${target}`;
}
