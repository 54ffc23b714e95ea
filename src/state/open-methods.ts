import { createBackfillStore } from "./backfills.ts";
import { createCheckpointStore } from "./checkpoints.ts";
import { createCommitStore } from "./commit.ts";
import { openDatabase, openToRead } from "./database.ts";
import { createDoubtStore } from "./doubt-store.ts";
import { createFaultStore } from "./faults.ts";
import { createFingerprintStore } from "./fingerprints.ts";
import { createHostStore } from "./hosts.ts";
import { createIdentityStore } from "./identities.ts";
import { createKnownRecordStore } from "./known-records.ts";
import { createLastFileStore } from "./last-file.ts";
import { createLastSend } from "./last-send.ts";
import { createLockStore } from "./locks.ts";
import { createMappingStore } from "./mappings.ts";
import { createOpenRejectStore } from "./open-rejects.ts";
import { createPullStore } from "./pulls.ts";
import { createReceiptStore } from "./receipts.ts";
import { createRefusalStore } from "./refusals.ts";
import { createRejectStore } from "./rejects.ts";
import { createReplayStore } from "./replays.ts";
import { createRunStore } from "./runs.ts";
import { createSendStore } from "./sends.ts";
import { createSplitStore } from "./split.ts";
import { createRateLimitStore } from "./sqlite/rate-limit.ts";
import type { StateMethods } from "./state-store.ts";
import { createTallyStore } from "./tally.ts";
import { createUnderWayStore } from "./under-way.ts";

/**
 * Opens the SQLite file with every method on it, in the calling thread; one that is only to be read need not be writable.
 * @throws {ConfigError} @throws {StateUnavailableError} as `openDatabase`, `openToRead`.
 */
export function openStateMethods(
  file: string,
  { onlyReads = false } = {},
): {
  readonly storeId: string;
  readonly methods: StateMethods;
  readonly close: () => void;
} {
  const db = onlyReads ? openToRead(file) : openDatabase(file);
  const sends = createSendStore(db);
  const lastSend = createLastSend(db, file);
  const receipts = createReceiptStore(db, sends);
  const methods: StateMethods = {
    ...createRunStore(db),
    ...createCheckpointStore(db),
    ...sends,
    drawStage: (input) => {
      const drawn = sends.drawStage(input);
      // Before its first part may leave, and behind its commit: a number that is only in the file would look like a restored store.
      lastSend.remember();
      return drawn;
    },
    ...lastSend.store,
    ...createCommitStore(db, sends),
    ...receipts,
    ...createDoubtStore(db),
    ...createSplitStore(db, { sends, receipts }),
    ...createFaultStore(db),
    ...createRefusalStore(db),
    ...createRejectStore(db),
    ...createOpenRejectStore(db),
    ...createReplayStore(db),
    ...createFingerprintStore(db),
    ...createKnownRecordStore(db),
    ...createLastFileStore(db),
    ...createMappingStore(db),
    ...createLockStore(db),
    ...createHostStore(db),
    ...createIdentityStore(db),
    ...createRateLimitStore(db),
    ...createTallyStore(db),
    ...createUnderWayStore(db),
    ...createPullStore(db),
    ...createBackfillStore(db),
  };
  return { storeId: db.storeId, methods, close: () => db.close() };
}
