import type { MessagePort } from "node:worker_threads";

import type { Remote } from "../thread.ts";
import type { DoubtStore } from "./contract/doubts/doubt-store.ts";
import type { AdoptionStore } from "./contract/keys/adoptions.ts";
import type { FingerprintStore } from "./contract/keys/fingerprints.ts";
import type { ForgettingStore } from "./contract/keys/forgetting.ts";
import type { IdentityStore } from "./contract/keys/identities.ts";
import type { KnownRecordStore } from "./contract/keys/known-records.ts";
import type { MappingStore } from "./contract/keys/mappings.ts";
import type { VanishedStore } from "./contract/keys/vanished.ts";
import type { PullStore } from "./contract/pull/pulls.ts";
import type { RateLimitStore } from "./contract/rate-limit.ts";
import type { OpenRejectStore } from "./contract/rejects/open-rejects.ts";
import type { RejectStore } from "./contract/rejects/rejects.ts";
import type { ReplayStore } from "./contract/rejects/replays.ts";
import type { BackfillStore } from "./contract/runs/backfills.ts";
import type { CheckpointStore } from "./contract/runs/checkpoints.ts";
import type { FigureStore } from "./contract/runs/figures.ts";
import type { HostStore } from "./contract/runs/hosts.ts";
import type { LockStore } from "./contract/runs/locks.ts";
import type { RunStore } from "./contract/runs/runs.ts";
import type { SuccessStore } from "./contract/runs/successes.ts";
import type { TallyStore } from "./contract/runs/tally.ts";
import type { CommitStore } from "./contract/sends/commit.ts";
import type { FaultStore } from "./contract/sends/faults.ts";
import type { LastFileStore } from "./contract/sends/last-file.ts";
import type { RestoreStore } from "./contract/sends/last-send.ts";
import type { ReceiptStore } from "./contract/sends/receipts.ts";
import type { RefusalStore } from "./contract/sends/refusals.ts";
import type { SplitStore } from "./contract/sends/split.ts";
import type { StagingStore } from "./contract/sends/stagings.ts";
import type { UnderWayStore } from "./contract/sends/under-way.ts";

/** Every query and command of the state store, with synchronous types; see `StateStore` for their transactions. */
export type StateMethods = RunStore &
  CheckpointStore &
  StagingStore &
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
  AdoptionStore &
  KnownRecordStore &
  LastFileStore &
  MappingStore &
  VanishedStore &
  LockStore &
  HostStore &
  IdentityStore &
  RateLimitStore &
  SuccessStore &
  TallyStore &
  FigureStore &
  UnderWayStore &
  PullStore &
  BackfillStore &
  ForgettingStore;

/** The methods in the thread that has the data: some return their value at once, others a promise of it. */
export type MethodsOf<Methods extends Record<keyof Methods, (...input: never) => unknown>> = {
  readonly [Name in keyof Methods]: (
    ...input: Parameters<Methods[Name]>
  ) => Promise<ReturnType<Methods[Name]>> | ReturnType<Methods[Name]>;
};

/** The methods as a caller in another thread sees them. */
export type StateClient = Remote<StateMethods>;

/**
 * Everything that outlives a run: runs, checkpoints, sends, receipts, faults, rejects, fingerprints, locks, hosts, rate
 * limits and pulls. A method's writes are durable when its promise resolves. In SQLite, those of `stageKeys` and
 * `keepFields` become durable with the next write, because nothing leaves before `finishStage` and `beginPart`. Each
 * method is one transaction, except `stageKeys`, `keepFields`, `commitChunk`, `prepareCommit`, `cutChunk`,
 * `dropStagings`, `forgetSeenBefore`, `endRun`, `pruneRuns`, `listReplay`, `undoAdoption`, `beginPull` and
 * `beginListing`, which take some thousand rows at a time. Methods that add, subtract or draw (`addRunFacts`,
 * `addRejects`, `beginStaging`, `beginPart`, `countFault`, `acquirePermit`, `noteLimit`, `beginAdoption`,
 * `beginListing`, `beginCall`, `forgetCall`) do so again when called again; every other method may be called twice with
 * the same outcome.
 * @throws {StateUnavailableError} from every method, when the store cannot be reached within `lockWaitMs`.
 */
export type StateStore = StateClient & {
  /** Random, created with the store: no two stores share it. */
  readonly storeId: string;
  /** Unix ms by the store's clock, as closely as a process knows it: for notes, and for comparing hours and days. */
  now(): number;
  /** A port for another thread, which gets the same methods from `stateOnPort`. The caller transfers it. */
  openPort(): MessagePort;
  /** Ends the store's thread; calls under way are finished first. */
  close(): Promise<void>;
};
