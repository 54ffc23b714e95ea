import { createBackfillStore } from "./backfills.ts";
import { createBudgetStore } from "./budget.ts";
import { createCheckpointStore } from "./checkpoints.ts";
import { createCommitStore } from "./commit.ts";
import { openDatabase } from "./database.ts";
import { createFaultStore } from "./faults.ts";
import { createFingerprintStore } from "./fingerprints.ts";
import { createHostStore } from "./hosts.ts";
import { createKnownRecordStore } from "./known-records.ts";
import { createLockStore } from "./locks.ts";
import { createPullStore } from "./pulls.ts";
import { createReceiptStore } from "./receipts.ts";
import { createRejectStore } from "./rejects.ts";
import { createReplayStore } from "./replays.ts";
import { createRunStore } from "./runs.ts";
import { createSendStore } from "./sends.ts";
import { createSplitStore } from "./split.ts";
import type { StateMethods } from "./state-store.ts";
import { createTallyStore } from "./tally.ts";

/**
 * Opens the SQLite file with every method on it, in the calling thread.
 * @throws {ConfigError} @throws {StateUnavailableError} as `openDatabase`.
 */
export function openStateMethods(file: string): {
  readonly storeId: string;
  readonly methods: StateMethods;
  readonly close: () => void;
} {
  const db = openDatabase(file);
  const sends = createSendStore(db);
  const receipts = createReceiptStore(db, sends);
  const methods: StateMethods = {
    ...createRunStore(db),
    ...createCheckpointStore(db),
    ...sends,
    ...createCommitStore(db, sends),
    ...receipts,
    ...createSplitStore(db, receipts),
    ...createFaultStore(db),
    ...createRejectStore(db),
    ...createReplayStore(db),
    ...createFingerprintStore(db),
    ...createKnownRecordStore(db),
    ...createLockStore(db),
    ...createHostStore(db),
    ...createBudgetStore(db),
    ...createTallyStore(db),
    ...createPullStore(db),
    ...createBackfillStore(db),
  };
  return { storeId: db.storeId, methods, close: () => db.close() };
}
