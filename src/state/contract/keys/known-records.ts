import { z } from "zod";

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

/** When a person last took another record for it than was sent (`AdoptionStore`), and why. */
export type AdoptedAs = {
  readonly at: string;
  readonly reason: string;
  /** Paths of the fields of which the service need not hear, of each time since it was sent. */
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

/** The columns of a known record that tell of its adoption. */
export const adoptedColumns = adoptedRow.shape;

/** Reads what a store tells of an adoption; undefined where there was none. */
export function adoptedOf(row: z.output<typeof adoptedRow>): AdoptedAs | undefined {
  const { adoptedAt: at, reason, adoptedFields } = row;
  if (at === null) return undefined;
  return { at, reason: reason ?? "", fields: [...new Set(adoptedFields?.flat())] };
}

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
      readonly adopted?: AdoptedAs | undefined;
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
