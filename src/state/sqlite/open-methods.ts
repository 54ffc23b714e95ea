import type { MethodsOf, StateMethods } from "../state-store.ts";
import { createRateLimitStore } from "../store/rate-limit.ts";
import { createBackfillStore } from "../store/runs/backfills.ts";
import { createCheckpointStore } from "../store/runs/checkpoints.ts";
import { createHostStore } from "../store/runs/hosts.ts";
import { createLockStore } from "../store/runs/locks.ts";
import { createRunStore } from "../store/runs/runs.ts";
import { createTallyStore } from "../store/runs/tally.ts";
import { createFaultStore } from "../store/sends/faults.ts";
import { createLastFileStore } from "../store/sends/last-file.ts";
import { createUnderWayStore } from "../store/sends/under-way.ts";
import { openDatabase, openToRead } from "./database.ts";
import { createDoubtStore } from "./doubts/doubt-store.ts";
import { createFingerprintStore } from "./keys/fingerprints.ts";
import { createIdentityStore } from "./keys/identities.ts";
import { defineKeyHashes, secretOf } from "./keys/key-functions.ts";
import { createKeyHashes } from "./keys/key-hashes.ts";
import { createKnownRecordStore } from "./keys/known-records.ts";
import { createMappingStore } from "./keys/mappings.ts";
import { createSightings } from "./keys/sightings.ts";
import { createPullStore } from "./pull/pulls.ts";
import { createOpenRejectStore } from "./rejects/open-rejects.ts";
import { createRejectStore } from "./rejects/rejects.ts";
import { createReplayStore } from "./rejects/replays.ts";
import { createCommitStore } from "./sends/commit.ts";
import { createLastSend } from "./sends/last-send.ts";
import { createReceiptStore } from "./sends/receipts.ts";
import { createRefusalStore } from "./sends/refusals.ts";
import { createSplitStore } from "./sends/split.ts";
import { createDropping, createStagingStore } from "./sends/stagings.ts";

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
  const sightings = createSightings(db);
  const hashesOf = createKeyHashes(secretOf(db), numberBits);
  defineKeyHashes(db, hashesOf);
  const stagings = createStagingStore(db);
  const lastSend = createLastSend(db, file);
  const receipts = createReceiptStore(db, stagings);
  const drop = createDropping(db);
  const methods: MethodsOf<StateMethods> = {
    ...createRunStore(db.state),
    ...createCheckpointStore(db.state),
    ...stagings,
    beginStaging: (input) => {
      const drawn = stagings.beginStaging(input);
      // Before its first part may leave, and behind its commit: a number that is only in the file would look
      // like a restored store.
      lastSend.remember();
      return drawn;
    },
    ...lastSend.store,
    ...createCommitStore(db, stagings),
    ...receipts,
    ...createDoubtStore(db),
    ...createSplitStore(db, { stagings, receipts, sightings }),
    ...createFaultStore(db.state),
    ...createRefusalStore(db),
    ...createRejectStore(db),
    ...createOpenRejectStore(db, sightings),
    ...createReplayStore(db),
    ...createFingerprintStore(db, { sightings, hashesOf }),
    ...createKnownRecordStore(db, hashesOf),
    ...createLastFileStore(db.state),
    ...createMappingStore(db, sightings),
    ...createLockStore(db.state, async (_, runId) => drop(runId, 0)),
    ...createHostStore(db.state),
    ...createIdentityStore(db),
    ...createRateLimitStore(db.state),
    ...createTallyStore(db.state),
    ...createUnderWayStore(db.state),
    ...createPullStore(db),
    ...createBackfillStore(db.state),
  };
  return { storeId: db.storeId, methods, close: () => db.close() };
}
