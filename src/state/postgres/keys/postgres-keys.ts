import type { Remote } from "../../../thread.ts";
import type { FingerprintStore } from "../../contract/keys/fingerprints.ts";
import type { KnownRecordStore } from "../../contract/keys/known-records.ts";
import type { MappingStore } from "../../contract/keys/mappings.ts";
import type { KeyAdopting } from "../../store/keys/adoptions.ts";
import type { KeyKeeping } from "../../store/keys/key-keeping.ts";
import type { NewestAges } from "../../store/keys/newest-ages.ts";
import type { KeyIds } from "../../store/keys/vanished.ts";
import type { PostgresDatabase } from "../database.ts";
import { createPostgresAdopting } from "./adopting.ts";
import { createFingerprints } from "./fingerprints.ts";
import { createPostgresIds, createPostgresKeeping } from "./key-keeping.ts";
import { createKnownRecords } from "./known-records.ts";
import { createMappings } from "./mappings.ts";
import { createNewestKnown } from "./newest-known.ts";
import { StoreKeys } from "./store-keys.ts";

/** Everything about keys in a store in Postgres. */
export type PostgresKeys = {
  readonly methods: Remote<FingerprintStore & KnownRecordStore & MappingStore>;
  /** For `createCommitStore` and `createSplitStore`; `settle` must run after `dropStagings` and before `pruneRuns`. */
  readonly keeping: KeyKeeping;
  readonly ages: NewestAges;
  readonly adopting: KeyAdopting;
  readonly ids: KeyIds;
};

/**
 * Makes everything about keys for a store in Postgres.
 * @param numberBits how many bits of a key's number are used; with fewer, keys share numbers.
 */
export function createPostgresKeys(database: PostgresDatabase, numberBits?: number): PostgresKeys {
  const store = new StoreKeys(database, numberBits);
  return {
    methods: {
      ...createFingerprints(store),
      ...createKnownRecords(store),
      ...createMappings(store),
    },
    keeping: createPostgresKeeping(store),
    ages: createNewestKnown(store),
    adopting: createPostgresAdopting(store),
    ids: createPostgresIds(store),
  };
}
