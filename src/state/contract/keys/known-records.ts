import type { SyncName } from "../runs/checkpoints.ts";

/** Bytes of a field's hash. */
export const fieldHashBytes = 4;

/** A field's path, such as "account_properties.name", and the hash of the value it had. */
export type FieldHash = { readonly name: string; readonly hash: number };

/**
 * Why nothing is known. `underWay`: a staging that is not settled has it. `unsettled`: a run sent it, and nobody knows
 * whether it was taken, or sent two records of its key. `untaken`: the service refused it, or its chunk was given up.
 * `forgotten`: what was known counts no more. `otherwise`: only its row is known, of a time when the sync compared
 * rows.
 */
export type WhyUnknown = "underWay" | "unsettled" | "untaken" | "forgotten" | "otherwise";

/** What is known of the record that the service holds for a key. */
export type KnownRecord =
  /** This sync never sent the key. */
  | { readonly state: "new" }
  /** Nothing says whether, or how, the service holds it. */
  | {
      readonly state: "unknown";
      readonly why: WhyUnknown;
      /** The number of the staging that has it, or sent it; undefined where what is known counts no more. */
      readonly send?: number;
    }
  | {
      readonly state: "accepted";
      readonly hash: Uint8Array;
      /** Undefined where they were not kept. */
      readonly fields: readonly FieldHash[] | undefined;
      /** Unix ms. */
      readonly acceptedAt: number;
      /** The number of the staging that sent it; see `stagingNumbered`. */
      readonly send: number;
      /** Where a person took another record for it than was sent (`AdoptionStore`): when, and why. */
      readonly adopted?: { readonly at: string; readonly reason: string } | undefined;
    };

/** What the service is known to hold, for a person who asks; `FingerprintStore` is how a run decides. */
export interface KnownRecordStore {
  /**
   * Names of the fields whose hashes are kept, in the order of their slots: `names` are added as far as
   * `fieldSlotsMax` allows.
   */
  fieldSlots(input: SyncName & { readonly names: readonly string[] }): string[];
  /** What is known of each key, in order. Only reads. */
  knownRecords(input: SyncName & { readonly keys: readonly string[] }): KnownRecord[];
}
