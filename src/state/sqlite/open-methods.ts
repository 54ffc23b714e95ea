import { createKeyHashes } from "../rules/keys/key-hashes.ts";
import type { MethodsOf, StateMethods } from "../state-store.ts";
import { createDoubtStore } from "../store/doubts/doubt-store.ts";
import { createIdentityStore } from "../store/keys/identities.ts";
import { createPullStore } from "../store/pull/pulls.ts";
import { createRateLimitStore } from "../store/rate-limit.ts";
import { createOpenRejectStore } from "../store/rejects/open-rejects.ts";
import { createRejectStore } from "../store/rejects/rejects.ts";
import { createReplayStore } from "../store/rejects/replays.ts";
import { createBackfillStore } from "../store/runs/backfills.ts";
import { createCheckpointStore } from "../store/runs/checkpoints.ts";
import { createHostStore } from "../store/runs/hosts.ts";
import { createLockStore } from "../store/runs/locks.ts";
import { createRunStore } from "../store/runs/runs.ts";
import { createTallyStore } from "../store/runs/tally.ts";
import { createCommitStore } from "../store/sends/commit.ts";
import { createFaultStore } from "../store/sends/faults.ts";
import { createLastFileStore } from "../store/sends/last-file.ts";
import { createReceiptStore } from "../store/sends/receipts.ts";
import { createRefusalStore } from "../store/sends/refusals.ts";
import { createRestoreStore } from "../store/sends/restored.ts";
import { SentKeys } from "../store/sends/sent-keys.ts";
import { createSplitStore } from "../store/sends/split.ts";
import { createStagingStore } from "../store/sends/stagings.ts";
import { createUnderWayStore } from "../store/sends/under-way.ts";
import { type Database, openDatabase, openToRead } from "./database.ts";
import { createFingerprintStore } from "./keys/fingerprints.ts";
import { defineKeyHashes, secretOf } from "./keys/key-functions.ts";
import { createKeyKeeping } from "./keys/key-keeping.ts";
import { createKnownRecordStore } from "./keys/known-records.ts";
import { createMappingStore } from "./keys/mappings.ts";
import { createNewestAges } from "./keys/newest-ages.ts";
import { createSightings } from "./keys/sightings.ts";
import type { KeyTools } from "./keys/stage-keys.ts";
import { createKeyMerging } from "./keys/staged/merge-keys.ts";
import { createStagedKeys } from "./keys/staged/staged-keys.ts";
import { createLastSend } from "./last-send.ts";

/** What every part of a store that has to do with keys shares. */
function createKeyTools(db: Database, numberBits: number | undefined): KeyTools {
  const hashesOf = createKeyHashes(secretOf(db), numberBits);
  defineKeyHashes(db, hashesOf);
  const sightings = createSightings(db);
  return { sightings, hashesOf, stagedKeys: createStagedKeys(db), merging: createKeyMerging(db) };
}

/**
 * Opens the SQLite file with every method on it, in the calling thread; one that is only to be read need not
 * be writable.
 * @throws {ConfigError} @throws {StateUnavailableError} as `openDatabase`, `openToRead`.
 */
export function openStateMethods(
  file: string,
  { onlyReads = false, numberBits }: { onlyReads?: boolean; numberBits?: number | undefined } = {},
): {
  readonly storeId: string;
  readonly methods: MethodsOf<StateMethods>;
  readonly close: () => void;
} {
  const db = onlyReads ? openToRead(file) : openDatabase(file);
  const { state } = db;
  const keyTools = createKeyTools(db, numberBits);
  const { sightings } = keyTools;
  const keys = createKeyKeeping(db, keyTools);
  const sentKeys = new SentKeys();
  const stagings = createStagingStore(state, sentKeys);
  const lastSend = createLastSend(db, file);
  const runs = createRunStore(state);
  const methods: MethodsOf<StateMethods> = {
    ...runs,
    pruneRuns: async (input) => {
      // Once its run is gone nobody can tell whether something of a staging left.
      await keys.settle();
      return await runs.pruneRuns(input);
    },
    ...createCheckpointStore(state),
    ...stagings,
    beginStaging: async (input) => {
      const drawn = await stagings.beginStaging(input);
      // Before its first part may leave, and behind its commit: a number that is only in the file would look
      // like a restored store.
      lastSend.remember();
      return drawn;
    },
    dropStagings: async (input) => {
      await stagings.dropStagings(input);
      await keys.settle();
    },
    ...createRestoreStore(state),
    ...createCommitStore(state, { keys, sentKeys }),
    ...createReceiptStore(state, sentKeys),
    ...createDoubtStore(state, sentKeys),
    ...createSplitStore(state, { keys, sentKeys }),
    ...createFaultStore(state),
    ...createRefusalStore(state),
    ...createRejectStore(state),
    ...createOpenRejectStore(state, createNewestAges(db, keyTools)),
    ...createReplayStore(state),
    ...createFingerprintStore(db, keyTools),
    ...createKnownRecordStore(db, keyTools),
    ...createLastFileStore(state),
    ...createMappingStore(db, sightings),
    ...createLockStore(state),
    ...createHostStore(state),
    ...createIdentityStore(state),
    ...createRateLimitStore(state),
    ...createTallyStore(state),
    ...createUnderWayStore(state),
    ...createPullStore(state),
    ...createBackfillStore(state),
  };
  return { storeId: db.storeId, methods, close: () => db.close() };
}
