import type { StageName } from "../../contract/sends/stagings.ts";
import type { Queries } from "../state-database.ts";

/** A staging, by its number. */
export type StagingOfRun = { readonly runId: string; readonly send: number };

/** How the keys of a staging are kept; each database keeps fingerprints in its own way. */
export type KeyKeeping = {
  /**
   * The steps that write the keys of a staging that was accepted whole, or that is cut: each is called inside a
   * transaction of its own, before the one in which the staging counts. Until then, they make no key known.
   */
  steps(
    this: void,
    queries: Queries,
    of: StagingOfRun,
  ): Promise<readonly ((queries: Queries) => Promise<void>)[]>;
  /**
   * Notes that all `steps` of a staging were run before its commit, so that `steps` returns no more; to be called
   * inside a transaction. Undefined if they are run with the commit.
   */
  readonly noteTaken?: ((queries: Queries, of: StagingOfRun) => Promise<void>) | undefined;
  /** Forgets what is kept apart for a staging; to be called inside the transaction in which it counts. */
  end(this: void, queries: Queries, of: StagingOfRun): Promise<void>;
  /** Settles the keys that abandoned stagings left behind, in transactions of its own. */
  settle(this: void): Promise<void>;
  /** Makes keys unknown for which the service refused a record of a staging; to be called inside a transaction. */
  refuse(this: void, queries: Queries, of: StageName, keys: readonly string[]): Promise<void>;
  /** Makes keys of a staging unknown that were not taken; to be called inside a transaction. */
  forget(this: void, queries: Queries, of: StagingOfRun, keys: readonly string[]): Promise<void>;
  /** Removes what is known of keys of a set, and returns how many were known; to be called inside a transaction. */
  erase(this: void, queries: Queries, setId: number, keys: readonly string[]): Promise<number>;
};
