import { z } from "zod";

import { jsonColumn } from "../json-column.ts";
import type { SyncName } from "../runs/checkpoints.ts";
import type { FieldHashes } from "./fingerprints.ts";

/**
 * A mapping that a run of a sync was opened with. `written` is its text as it made what was accepted last, because the
 * hash does not cover the order of fields; null for a module, of which only the hash is kept.
 */
export const keptMapping = z
  .object({
    mapping: z.string(),
    written: z.string().nullable(),
    /** The number of the last accepted staging that it made; 0 if there is none. */
    deployed: z.int(),
  })
  .readonly();

/** A mapping as the store keeps it. */
export type KeptMapping = z.output<typeof keptMapping>;

/** When a person took records for what the service holds, and why. */
export const adoptionRow = z
  .object({
    id: z.int(),
    fields: jsonColumn.pipe(z.array(z.string())),
    reason: z.string(),
    records: z.int(),
    adoptedAt: z.string(),
    undoneAt: z.string().nullable(),
  })
  .readonly();

/** An intervention of `sluice state adopt`. */
export type Adoption = z.output<typeof adoptionRow>;

/** Records to take for what the service holds; their keys are all different. */
export type RecordsToAdopt = SyncName &
  FieldHashes & {
    /** The number of the adoption. */
    readonly adoption: number;
    readonly keys: readonly string[];
    /** `hashBytes` for each key: what the service must be known to hold. */
    readonly before: Uint8Array;
    /** `hashBytes` for each key: what it counts as holding from now on. */
    readonly after: Uint8Array;
  };

/** The mappings of a sync, and the records that a person took for what the service holds. */
export interface AdoptionStore {
  /** The mappings that runs of a sync were opened with, starting with the one of the last accepted staging. */
  keptMappings(input: SyncName): KeptMapping[];
  /** Keeps a mapping that made what now counts as held, with its text as it is written now. */
  keepMapping(input: SyncName & Pick<KeptMapping, "mapping" | "written">): void;
  /**
   * Begins an adoption and returns its number. Each call begins another one.
   * @throws {BusyError} a run of the sync is open.
   */
  beginAdoption(
    input: SyncName & {
      readonly fields: readonly string[];
      readonly reason: string;
      readonly at: string;
    },
  ): number;
  /**
   * Takes records for what the service holds, but only where it is known to hold exactly what `before` says; returns
   * how many. Keeps what was known for `undoAdoption`.
   * @throws {BusyError} a run of the sync is open.
   */
  adoptRecords(input: RecordsToAdopt): number;
  /**
   * Restores what was known before an adoption, for keys of which nothing was sent or forgotten since; returns for how
   * many.
   * @throws {BusyError} a run of the sync is open.
   */
  undoAdoption(input: SyncName & { readonly adoption: number; readonly at: string }): number;
  /** Newest first. */
  adoptions(input: SyncName): Adoption[];
}
