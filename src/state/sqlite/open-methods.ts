import { DrawnKeys } from "../rules/keys/drawn-keys.ts";
import { createKeyHashes } from "../rules/keys/key-hashes.ts";
import type { MethodsOf, StateMethods } from "../state-store.ts";
import { createStoreMethods } from "../store/store-methods.ts";
import { type Database, openDatabase, openToRead } from "./database.ts";
import { createAdopting } from "./keys/adopting.ts";
import { createFingerprintStore } from "./keys/fingerprints.ts";
import { defineKeyHashes, secretOf } from "./keys/key-functions.ts";
import { createKeyIds, createKeyKeeping } from "./keys/key-keeping.ts";
import { createKnownRecordStore } from "./keys/known-records.ts";
import { createMappingStore } from "./keys/mappings.ts";
import { createNewestAges } from "./keys/newest-ages.ts";
import { createSightings } from "./keys/sightings.ts";
import type { KeyTools } from "./keys/stage-keys.ts";
import { createKeyMerging } from "./keys/staged/merge-keys.ts";
import { createStagedKeys } from "./keys/staged/staged-keys.ts";
import { createLastSend } from "./last-send.ts";
import { untilReplaced } from "./replaced.ts";
import type { Turns } from "./turns.ts";

/** Settings that bring about what otherwise happens only with many keys. */
export type HowKeysAreKept = {
  /** How many bits of a key's number are used; with fewer, keys share numbers. @default 64 */
  readonly numberBits?: number | undefined;
  /** As in `DrawnKeys`. */
  readonly drawnKeysMax?: number | undefined;
};

/** Makes what all parts of a store that deal with keys share. */
function createKeyTools(db: Database, { numberBits, drawnKeysMax }: HowKeysAreKept): KeyTools {
  const hashesOf = createKeyHashes(secretOf(db), numberBits);
  defineKeyHashes(db, hashesOf);
  const sightings = createSightings(db);
  return {
    sightings,
    hashesOf,
    stagedKeys: createStagedKeys(db),
    drawnKeys: new DrawnKeys(drawnKeysMax),
    merging: createKeyMerging(db),
  };
}

/**
 * Opens the SQLite file with every method on it, in the calling thread; a file that is only read need not be writable.
 * Calls must take `turns`, which a long method passes between its transactions.
 * @throws {ConfigError} @throws {StateUnavailableError} as `openDatabase`, `openToRead`.
 */
export function openStateMethods(
  file: string,
  { onlyReads = false, ...kept }: { onlyReads?: boolean } & HowKeysAreKept = {},
): {
  readonly storeId: string;
  readonly methods: MethodsOf<StateMethods>;
  readonly turns: Turns;
  readonly close: () => void;
} {
  const db = onlyReads ? openToRead(file) : openDatabase(file);
  const keyTools = createKeyTools(db, kept);
  const lastSend = createLastSend(db, file);
  const methods = createStoreMethods(db.state, {
    keeping: createKeyKeeping(db, keyTools),
    ages: createNewestAges(db, keyTools),
    adopting: createAdopting(db, keyTools),
    ids: createKeyIds(db, keyTools),
    methods: {
      ...createFingerprintStore(db, keyTools),
      ...createKnownRecordStore(db, keyTools),
      ...createMappingStore(db, keyTools.sightings),
    },
  });
  return {
    storeId: db.storeId,
    turns: db.turns,
    methods: untilReplaced(
      {
        ...methods,
        beginStaging: async (input) => {
          const drawn = await methods.beginStaging(input);
          // After its commit, and before its first part may leave: a number that is only in the file would look like a
          // restored store.
          lastSend.remember();
          return drawn;
        },
        beginPart: async (input) => {
          const begun = await methods.beginPart(input);
          if (begun.attempts > 0) lastSend.leave(begun.send);
          return begun;
        },
      },
      file,
    ),
    close: () => db.close(),
  };
}
