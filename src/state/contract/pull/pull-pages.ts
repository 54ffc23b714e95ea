import { type RejectEntry } from "../rejects/rejects.ts";
import type { PullStep } from "./pull-places.ts";
import type { PageCounts } from "./pull-runs.ts";

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
   * Counts a call before it leaves: `ceiling`, and nothing is counted, once the run has made `callsMax`;
   * `moved` when another attempt brought the page. A call for what one before may have brought already counts
   * as possibly paid twice.
   * @throws {SupersededError} the run does not hold the pull's lock.
   */
  beginCall(input: PullStep & { readonly callsMax: number }): "granted" | "ceiling" | "moved";
  /** Ends a call that brought no page and certainly cost nothing: it is not counted. */
  forgetCall(input: PullStep): void;
  /**
   * Keeps a page that came until it is written; `moved`, and nothing is kept, when another attempt has done
   * so before.
   */
  keepPage(input: PullStep & { readonly page: unknown }): "kept" | "moved";
  /** Continues with another walk, without a page: one with smaller pages, or null for one that begins anew. */
  setWalk(input: PullStep & { readonly walk: unknown }): void;
  /**
   * Moves the place after a page: its counts and rejects, the walk, and the end of the kept page, in one
   * transaction. Nothing when another attempt has done so before.
   * @throws {SupersededError} the run does not hold the pull's lock.
   */
  commitPage(input: PageCommit): void;
}
