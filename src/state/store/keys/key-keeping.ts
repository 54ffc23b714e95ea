import type { StageName } from "../../contract/sends/stagings.ts";
import type { Queries } from "../state-database.ts";

/** A staging, by its number. */
export type StagingOfRun = { readonly runId: string; readonly send: number };

/** What becomes of the keys of a staging on its way; each database keeps fingerprints in its own way. */
export type KeyKeeping = {
  /**
   * What writes the keys of a staging of which all was accepted, or that is cut: each part of it to be called inside a
   * transaction of its own, before the one in which the staging counts. None of them is known by it until then.
   */
  steps(
    this: void,
    queries: Queries,
    of: StagingOfRun,
  ): Promise<readonly ((queries: Queries) => Promise<void>)[]>;
  /**
   * Notes that all that `steps` answered of a staging was taken before its commit, so that it answers nothing more; to
   * be called inside a transaction. Undefined where they are taken with the commit.
   */
  readonly noteTaken?: ((queries: Queries, of: StagingOfRun) => Promise<void>) | undefined;
  /** Forgets what lay apart of a staging; belongs into the transaction in which it counts. */
  end(this: void, queries: Queries, of: StagingOfRun): Promise<void>;
  /** Comes to an end with what stagings left that were given up, in transactions of its own. */
  settle(this: void): Promise<void>;
  /** Makes keys unknown of which the service refused a record of a staging; to be called inside a transaction. */
  refuse(this: void, queries: Queries, of: StageName, keys: readonly string[]): Promise<void>;
  /** Makes unknown what was not taken of a staging; to be called inside a transaction. */
  forget(this: void, queries: Queries, of: StagingOfRun, keys: readonly string[]): Promise<void>;
  /** Removes what is known of keys of a set, and answers of how many there was; to be called inside a transaction. */
  erase(this: void, queries: Queries, setId: number, keys: readonly string[]): Promise<number>;
};
