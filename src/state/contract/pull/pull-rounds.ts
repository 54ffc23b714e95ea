import { type RejectEntry } from "../rejects/rejects.ts";
import type { PullName, PullStep, StoredPlace } from "./pull-places.ts";

/**
 * Where a pull stands: this belongs to the pull and not to a run, so that the next run continues where one
 * ended early.
 */
export type PullPlace = StoredPlace & {
  /** The domain that is walked; undefined in a search, and before the first. */
  readonly domain: string | undefined;
  /** The page behind `walk`, when it has come and is not written yet: it is paid for. null when there is none. */
  readonly page: unknown;
};

/** What the pull is now, as against when its round was begun. */
export type PullBeginning = PullName & {
  readonly runId: string;
  /** Of what the service is asked. */
  readonly queryHash: string;
  /** Of how results are written. */
  readonly writeHash: string;
  /** Begin a new round in any case. */
  readonly anew: boolean;
  /** Whether the round goes over a list of domains, still to be made. */
  readonly hasDomains: boolean;
  /** Names of the pulls that there are now. @default its own */
  readonly configured?: readonly string[] | undefined;
};

/**
 * Whether a round continues as the pull is now; pages of two queries, or rows written in two ways, would mix
 * two pulls.
 */
export function isSameRound(
  place: StoredPlace,
  now: Pick<PullBeginning, "queryHash" | "writeHash">,
): boolean {
  const isSameWriting = place.writeHash === now.writeHash || place.steps === 0;
  return !place.isDone && place.queryHash === now.queryHash && isSameWriting;
}

/** A stretch of the list of domains. */
export type ListedDomains = PullStep & {
  readonly domains: readonly string[];
  /** Rows that hold no domain. */
  readonly rejects: readonly RejectEntry[];
  /** Whether the list ends with it. */
  readonly isLast: boolean;
  readonly at: string;
};

/** Rounds: one walk over everything that a search finds, or over the job postings of every domain. */
export interface PullRoundStore {
  /**
   * Continues with the pull's round, or begins a new one: when the last has ended, when the query is another,
   * when pages were written otherwise than they would be now, or when it is asked for. A page that waits to be written
   * in the same manner, of a name that it had or of another target, is asked for again: it will be the older one.
   * @throws {SupersededError} the run does not hold the pull's lock.
   */
  beginPull(input: PullBeginning): void;
  /** Undefined when the pull never ran. */
  pullPlace(input: PullName): PullPlace | undefined;
  /**
   * Begins the list of domains anew; answers the version under which they are added.
   * @throws {SupersededError} the run does not hold the pull's lock.
   */
  beginListing(input: PullName & { readonly runId: string }): number;
  /**
   * Lists domains, each once, in the order in which they first come; answers how many are listed.
   * @throws {SupersededError} another attempt began the list anew, or the run does not hold the pull's lock.
   */
  addDomains(input: ListedDomains): number;
}
