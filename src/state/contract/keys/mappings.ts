import type { SyncName } from "../runs/checkpoints.ts";

/** A sync and the hash of the mapping that it has now. */
export type SyncMapping = SyncName & { readonly mapping: string };

/** What the service holds that other mappings made. */
export type OlderMapping = {
  /** Whether there may be any. */
  readonly isAny: boolean;
  /**
   * Records not known to be sent by this mapping, or seen by it unchanged; of a sync without fingerprints
   * none is known. Of records that are under way some may count already, or not yet.
   */
  readonly records: number;
};

/** Mappings: which made what was sent. A source that resumes does not read again what did not change. */
export interface MappingStore {
  /** What of a sync other mappings made. Only reads. */
  olderMapping(input: SyncMapping): OlderMapping;
  /** Notes that everything the source holds was mapped by this mapping: what others made of it is replaced. */
  forgetOlderMappings(input: SyncMapping): void;
}
