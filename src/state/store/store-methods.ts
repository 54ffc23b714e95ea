import type { FingerprintStore } from "../contract/keys/fingerprints.ts";
import type { KnownRecordStore } from "../contract/keys/known-records.ts";
import type { MappingStore } from "../contract/keys/mappings.ts";
import type { MethodsOf, StateMethods } from "../state-store.ts";
import { createDoubtStore } from "./doubts/doubt-store.ts";
import { createAdoptionStore, type KeyAdopting } from "./keys/adoptions.ts";
import { createForgettingStore } from "./keys/erase-key.ts";
import { createIdentityStore } from "./keys/identities.ts";
import type { KeyKeeping } from "./keys/key-keeping.ts";
import type { NewestAges } from "./keys/newest-ages.ts";
import { createVanishedStore, type KeyIds } from "./keys/vanished.ts";
import { createPullStore } from "./pull/pulls.ts";
import { createRateLimitStore } from "./rate-limit.ts";
import { createClosing } from "./rejects/close-rejects.ts";
import { createOpenRejectStore } from "./rejects/open-rejects.ts";
import { createRejectStore } from "./rejects/rejects.ts";
import { createReplayStore } from "./rejects/replays.ts";
import { createBackfillStore } from "./runs/backfills.ts";
import { createCheckpointStore } from "./runs/checkpoints.ts";
import { createFigureStore } from "./runs/figures.ts";
import { createHostStore } from "./runs/hosts.ts";
import { createLockStore } from "./runs/locks.ts";
import { createRunStore } from "./runs/runs.ts";
import { createSuccessStore } from "./runs/successes.ts";
import { createTallyStore } from "./runs/tally.ts";
import { createCommitStore } from "./sends/commit.ts";
import { createFaultStore } from "./sends/faults.ts";
import { createLastFileStore } from "./sends/last-file.ts";
import { createReceiptStore } from "./sends/receipts.ts";
import { createRefusalStore } from "./sends/refusals.ts";
import { createRestoreStore } from "./sends/restored.ts";
import { SentKeys } from "./sends/sent-keys.ts";
import { createSplitStore } from "./sends/split.ts";
import { createStagingStore } from "./sends/stagings.ts";
import { createUnderWayStore } from "./sends/under-way.ts";
import type { StateDatabase } from "./state-database.ts";

/** What each database keeps of keys in its own way. */
export type StoredKeys = {
  readonly keeping: KeyKeeping;
  readonly ages: NewestAges;
  readonly adopting: KeyAdopting;
  readonly ids: KeyIds;
  readonly methods: KeyMethods;
};

/** The methods that concern only keys. */
type KeyMethods = MethodsOf<FingerprintStore & KnownRecordStore & MappingStore>;

/** Every method of a store. */
export function createStoreMethods(
  state: StateDatabase,
  { keeping: keys, ages, adopting, ids, methods }: StoredKeys,
): MethodsOf<StateMethods> {
  const sentKeys = new SentKeys();
  const runs = createRunStore(state);
  const stagings = createStagingStore(state, sentKeys);
  const closeRejects = createClosing(state, ages);
  return {
    ...runs,
    endRun: async (input) => {
      const run = await runs.endRun(input);
      if (run.kind !== "pull") await closeRejects(run);
      return run;
    },
    pruneRuns: async (input) => {
      // Once its run is gone, nobody can know whether something of a staging left.
      await keys.settle();
      return await runs.pruneRuns(input);
    },
    ...createCheckpointStore(state),
    ...stagings,
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
    ...createOpenRejectStore(state),
    ...createReplayStore(state),
    ...methods,
    ...createLastFileStore(state),
    ...createLockStore(state),
    ...createHostStore(state),
    ...createAdoptionStore(state, adopting),
    ...createVanishedStore(state, ids),
    ...createIdentityStore(state),
    ...createRateLimitStore(state),
    ...createSuccessStore(state),
    ...createTallyStore(state),
    ...createFigureStore(state),
    ...createUnderWayStore(state),
    ...createPullStore(state),
    ...createBackfillStore(state),
    ...createForgettingStore(state, { keys, ids, sentKeys }),
  };
}
