import type { MessagePort } from "node:worker_threads";

import type { Remote } from "../thread.ts";
import type { BackfillStore } from "./backfills.ts";
import type { CheckpointStore } from "./checkpoints.ts";
import type { CommitStore } from "./commit.ts";
import type { RateLimitStore } from "./contract/rate-limit.ts";
import type { DoubtStore } from "./doubt-store.ts";
import type { FaultStore } from "./faults.ts";
import type { FingerprintStore } from "./fingerprints.ts";
import type { HostStore } from "./hosts.ts";
import type { IdentityStore } from "./identities.ts";
import type { KnownRecordStore } from "./known-records.ts";
import type { LastFileStore } from "./last-file.ts";
import type { RestoreStore } from "./last-send.ts";
import type { LockStore } from "./locks.ts";
import type { MappingStore } from "./mappings.ts";
import type { OpenRejectStore } from "./open-rejects.ts";
import type { PullStore } from "./pulls.ts";
import type { ReceiptStore } from "./receipts.ts";
import type { RefusalStore } from "./refusals.ts";
import type { RejectStore } from "./rejects.ts";
import type { ReplayStore } from "./replays.ts";
import type { RunStore } from "./runs.ts";
import type { SendStore } from "./sends.ts";
import type { SplitStore } from "./split.ts";
import type { TallyStore } from "./tally.ts";
import type { UnderWayStore } from "./under-way.ts";

/** Every question and command of the state store, each one synchronous transaction where the data lie. */
export type StateMethods = RunStore &
  CheckpointStore &
  SendStore &
  CommitStore &
  ReceiptStore &
  DoubtStore &
  SplitStore &
  FaultStore &
  RefusalStore &
  RejectStore &
  OpenRejectStore &
  ReplayStore &
  RestoreStore &
  FingerprintStore &
  KnownRecordStore &
  LastFileStore &
  MappingStore &
  LockStore &
  HostStore &
  IdentityStore &
  RateLimitStore &
  TallyStore &
  UnderWayStore &
  PullStore &
  BackfillStore;

/** The methods as a caller in another thread sees them. */
export type StateClient = Remote<StateMethods>;

/**
 * What outlives a run: runs, checkpoints, sends, receipts, faults, rejects, fingerprints, locks, hosts, rate limits and
 * pulls. What a method wrote is durable when its promise resolves, and each is one transaction but `stageKeys`, `forgetSeenBefore`, `pruneRuns`, `listReplay`,
 * `beginPull` and `beginListing`, which take `transactionRowsMax` rows at a time. Methods that add or draw (`addRunFacts`, `addRejects`,
 * `drawStage`, `beginPart`, `countFault`, `acquirePermit`, `noteLimit`, `beginListing`, `beginCall`) do so again when
 * called again; every other may be called twice with the same outcome.
 * @throws {StateUnavailableError} from every method, when the store cannot be reached within `lockWaitMs`.
 */
export type StateStore = StateClient & {
  /** Random, made with the store: two stores never share it. */
  readonly storeId: string;
  /** A port for another thread, which gets the same methods from `stateOnPort`. The caller transfers it. */
  openPort(): MessagePort;
  /** Ends the store's thread; calls under way are finished first. */
  close(): Promise<void>;
};
