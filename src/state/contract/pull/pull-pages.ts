import { type RejectEntry } from "../rejects/rejects.ts";
import type { PullStep } from "./pull-places.ts";
import type { PageCounts } from "./pull-runs.ts";

/** A page that was written, or a domain that the service refused. */
export type PageCommit = PullStep & {
  /** Where the pass is now; null when it has ended. */
  readonly pass: unknown;
  /** The pass that begins instead of ending while fewer than `keys` keys came in the round. */
  readonly again?: { readonly pass: unknown; readonly keys: number } | undefined;
  /** Whether the pass covers earlier results once more, which then do not count as repeated. @default false */
  readonly isRepeat?: boolean | undefined;
  readonly counts: PageCounts;
  readonly rejects: readonly RejectEntry[];
  /** The keys of the page's results: one that came before in this round counts as repeated. */
  readonly keys: readonly string[];
  /** Whether it is a domain that the service refused. */
  readonly isRefusal: boolean;
  /** Whether pages of that domain came before, with which it counts as done. @default false */
  readonly isBegun?: boolean | undefined;
  readonly at: string;
};

/** A page that came. */
export type KeptPage = PullStep & {
  readonly page: unknown;
  /** Other pulls that write some of its columns, and not all of them in the same way. @default none */
  readonly alsoWrites?: readonly string[] | undefined;
};

/** Pages: the one that is paid for and not written yet, and what the calls for them may cost. */
export interface PullPageStore {
  /**
   * Counts a call before it leaves. Returns `ceiling`, and counts nothing, once the run has made `callsMax` calls;
   * returns `moved` when another attempt brought the page. A call for what an earlier one may have brought already
   * counts as possibly paid twice.
   * @throws {SupersededError} the run does not hold the pull's lock.
   */
  beginCall(input: PullStep & { readonly callsMax: number }): "granted" | "ceiling" | "moved";
  /**
   * Ends a call that brought no page and certainly cost nothing, and no longer counts it. `wasAsking` says whether an
   * earlier one may have brought the page: that is still so.
   */
  forgetCall(input: PullStep & { readonly wasAsking: boolean }): void;
  /**
   * Keeps a page that came until it is written. Returns `moved`, and keeps nothing, when another attempt has done so
   * before. A page that waits to be written in the same way, or into some of the same columns, of another pull, under a
   * former name or for another target, is outdated by it, and will be asked for again.
   */
  keepPage(input: KeptPage): "kept" | "moved";
  /** Whether the page of this step still waits to be written: no attempt has gone on, and no newer page outdated it. */
  isPageKept(input: PullStep): boolean;
  /** Continues with another pass, without a page: one with smaller pages, or null for one that begins anew. */
  setPass(input: PullStep & { readonly pass: unknown }): void;
  /**
   * Moves the place to after a page: stores its counts and rejects and the pass, and forgets the kept page, in one
   * transaction. Does nothing when another attempt has done so before.
   * @throws {SupersededError} the run does not hold the pull's lock.
   */
  commitPage(input: PageCommit): void;
}
