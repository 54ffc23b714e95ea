import { type RejectEntry } from "../rejects/rejects.ts";
import type { NewPart, PartName } from "./receipts.ts";

/** Splits: what becomes of a part that the service refused, and of a chunk that it refused too much of. */
export interface SplitStore {
  /**
   * Replaces a refused part by new ones; what is in none of them is rejected. The records of a part that was
   * perhaps accepted count as possibly repeated. Called again it answers what the first call made.
   * @throws {ApiContractError} the run was split into more than `splitsMax` parts.
   */
  splitPart(
    input: PartName & {
      readonly parts: readonly NewPart[];
      readonly rejects: readonly RejectEntry[];
      /** Whether parts of this run that are not smaller need not be tried. */
      readonly isTooLarge: boolean;
      /** @default splitsPerRunMax */
      readonly splitsMax?: number;
      readonly host: string;
      readonly at: string;
    },
  ): { readonly parts: number[] };
  /**
   * Gives up a chunk on its way, at a part of which nothing more is tried: in one transaction, what was
   * accepted of it counts as sent and is known from now on, `rejects` are kept, and the rest becomes unknown
   * and is in no count, because the checkpoint stays and the next run reads it again.
   * @throws {SupersededError} the staging is not the newest.
   */
  cutChunk(
    input: PartName & { readonly rejects: readonly RejectEntry[]; readonly at: string },
  ): void;
}
