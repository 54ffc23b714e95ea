import type { SyncName } from "../runs/checkpoints.ts";

/** A sync and the hash of the mapping that it has now. */
export type SyncMapping = SyncName & { readonly mapping: string };

/** Records at the service that other mappings made. */
export type OlderMapping = {
  /** Whether there may be any. */
  readonly isAny: boolean;
  /**
   * Records that this mapping is not known to have sent, or seen unchanged; 0 for a sync without fingerprints. Records
   * under way may be counted already, or not yet.
   */
  readonly records: number;
};

/** Mappings: which one made the records that were sent. A source that resumes does not reread unchanged rows. */
export interface MappingStore {
  /** The records of a sync that other mappings made. Only reads. */
  olderMapping(input: SyncMapping): OlderMapping;
  /** Notes that this mapping has mapped everything in the source, which replaces what others made of it. */
  forgetOlderMappings(input: SyncMapping): void;
}
