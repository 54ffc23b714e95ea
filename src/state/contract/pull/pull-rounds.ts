import { type RejectEntry } from "../rejects/rejects.ts";
import type { PullName, PullStep, StoredPlace } from "./pull-places.ts";

/**
 * How far a pull has come. This belongs to the pull and not to a run, so that the next run continues where one ended
 * early.
 */
export type PullPlace = StoredPlace & {
  /** The domain that is read; undefined in a search, and before the first. */
  readonly domain: string | undefined;
  /** The page after `pass` if it has come, and so is paid for, but is not written yet; null when there is none. */
  readonly page: unknown;
};

/** The pull as it is now, to compare with when its round began. */
export type PullBeginning = PullName & {
  readonly runId: string;
  /** Hash of the whole configuration of the pull. */
  readonly configHash: string;
  /** Hash of what the service is asked. */
  readonly queryHash: string;
  /** Hash of how results are written. */
  readonly writeHash: string;
  /** Begin a new round in any case. */
  readonly anew: boolean;
  /** Whether the round goes over a list of domains, still to be made. */
  readonly hasDomains: boolean;
};

/**
 * Whether a round can continue with the pull as it is now: pages of two queries, or rows written in two ways, would mix
 * two pulls.
 */
export function isSameRound(
  place: StoredPlace,
  now: Pick<PullBeginning, "queryHash" | "writeHash">,
): boolean {
  const isSameWriting = place.writeHash === now.writeHash || place.steps === 0;
  return !place.isDone && place.queryHash === now.queryHash && isSameWriting;
}

/** A section of the list of domains. */
export type ListedDomains = PullStep & {
  readonly domains: readonly string[];
  /** Rows that hold no domain. */
  readonly rejects: readonly RejectEntry[];
  /** Whether the list ends with it. */
  readonly isLast: boolean;
  readonly at: string;
};

/** Rounds: one reading of everything that a search finds, or of the job postings of every domain. */
export interface PullRoundStore {
  /**
   * Continues the pull's round, or begins a new one: when the last has ended, when the query has changed, when pages
   * were written in another way than now, or on request. The run is of this configuration if it has made no call yet:
   * an earlier attempt to open it may have had another.
   * @throws {SupersededError} the run does not hold the pull's lock.
   */
  beginPull(input: PullBeginning): void;
  /** Undefined when the pull never ran. */
  pullPlace(input: PullName): PullPlace | undefined;
  /**
   * Begins the list of domains anew; returns the version under which they are added.
   * @throws {SupersededError} another attempt finished the list, or the run does not hold the pull's lock.
   */
  beginListing(input: PullName & { readonly runId: string }): number;
  /**
   * Lists domains, each once, in the order of their first occurrence; returns how many are listed.
   * @throws {SupersededError} another attempt began the list anew, or the run does not hold the pull's lock.
   */
  addDomains(input: ListedDomains): number;
}
