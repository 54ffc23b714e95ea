import type { StageName } from "../../contract/sends/stagings.ts";
import type { Queries } from "../state-database.ts";

/** A staging, by its number. */
export type StagingOfRun = { readonly runId: string; readonly send: number };

/** What becomes of the keys of a staging on its way; each database keeps fingerprints in its own way. */
export type KeyKeeping = {
  /** Makes keys unknown of which the service refused a record of a staging; to be called inside a transaction. */
  refuse(this: void, queries: Queries, of: StageName, keys: readonly string[]): Promise<void>;
  /** Makes unknown what was not taken of a staging; to be called inside a transaction. */
  forget(this: void, queries: Queries, of: StagingOfRun, keys: readonly string[]): Promise<void>;
};
