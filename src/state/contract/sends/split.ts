import { type RejectEntry } from "../rejects/rejects.ts";
import type { NewPart, PartName } from "./receipts.ts";

/** Splits: what becomes of a part that the service refused, and of a chunk of which it refused too much. */
export interface SplitStore {
  /**
   * Replaces a refused part with new ones; records in none of them are rejected. The records of a part that may have
   * been accepted count as possibly repeated. A repeated call returns the parts that the first one made.
   * @throws {ApiContractError} the run was split into more than `splitsMax` parts.
   */
  splitPart(
    input: PartName & {
      readonly parts: readonly NewPart[];
      readonly rejects: readonly RejectEntry[];
      /** Whether parts of this run that are at least as large need not be tried. */
      readonly isTooLarge: boolean;
      /** @default splitsPerRunMax */
      readonly splitsMax?: number;
      readonly host: string;
      readonly at: string;
    },
  ): { readonly parts: number[] };
  /**
   * Abandons a chunk on its way, at a part that is not tried again: in one transaction, its accepted records count as
   * sent and are known from now on, `rejects` are kept, and the rest becomes unknown and is not counted, because the
   * checkpoint stays and the next run reads it again.
   * @throws {SupersededError} the staging is not the newest.
   */
  cutChunk(
    input: PartName & { readonly rejects: readonly RejectEntry[]; readonly at: string },
  ): void;
}
