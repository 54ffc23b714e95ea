import { z } from "zod";

import type { SyncName } from "../runs/checkpoints.ts";

/** Bytes of a field's hash. */
export const fieldHashBytes = 4;

/** A field's path, such as "account_properties.name", and the hash of the value it had. */
export type FieldHash = { readonly name: string; readonly hash: number };

/**
 * Why nothing is known. `underWay`: a staging that is not settled has it. `unsettled`: a run sent it, and nobody knows
 * whether it was accepted, or the run sent two records of its key. `untaken`: the service refused it, or its chunk was
 * given up. `forgotten`: earlier knowledge no longer counts. `otherwise`: only its row is known, from a time when the
 * sync compared rows.
 */
export type WhyUnknown = "underWay" | "unsettled" | "untaken" | "forgotten" | "otherwise";

/** When, and why, a person last took another record for it than the one that was sent (`AdoptionStore`). */
export type AdoptedAs = {
  readonly at: string;
  readonly reason: string;
  /** Paths of the fields whose changes need not be sent, from all adoptions since it was sent. */
  readonly fields: readonly string[];
};

const adoptedRow = z.object({
  adoptedAt: z.string().nullable(),
  reason: z.string().nullable(),
  adoptedFields: z
    .string()
    .transform((text) => z.array(z.array(z.string())).parse(JSON.parse(text)))
    .nullable(),
});

/** The columns of a known record that describe its adoption. */
export const adoptedColumns = adoptedRow.shape;

/** Reads an adoption from its columns; undefined if there was none. */
export function adoptedOf(row: z.output<typeof adoptedRow>): AdoptedAs | undefined {
  const { adoptedAt: at, reason, adoptedFields } = row;
  if (at === null) return undefined;
  return { at, reason: reason ?? "", fields: [...new Set(adoptedFields?.flat())] };
}

/** What is known of the record that the service holds for a key. */
export type KnownRecord =
  /** This sync never sent the key. */
  | { readonly state: "new" }
  /** It is not known whether, or in which form, the service holds it. */
  | {
      readonly state: "unknown";
      readonly why: WhyUnknown;
      /** The number of the staging that has it, or sent it; only for `underWay` and `unsettled`. */
      readonly send?: number;
    }
  | {
      readonly state: "accepted";
      readonly hash: Uint8Array;
      /** Undefined if they were not kept. */
      readonly fields: readonly FieldHash[] | undefined;
      /** Unix ms. */
      readonly acceptedAt: number;
      /** The number of the staging that sent it; see `stagingNumbered`. */
      readonly send: number;
      readonly adopted?: AdoptedAs | undefined;
    };

/** What the service is known to hold, for people who ask; runs decide by `FingerprintStore`. */
export interface KnownRecordStore {
  /**
   * Adds `names` to the fields whose hashes are kept, as far as `fieldSlotsMax` allows; returns the names of all such
   * fields, in slot order.
   */
  fieldSlots(input: SyncName & { readonly names: readonly string[] }): string[];
  /** What is known of each key, in order. Only reads. */
  knownRecords(input: SyncName & { readonly keys: readonly string[] }): KnownRecord[];
}
