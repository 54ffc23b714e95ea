import type { ActivityName } from "../src/text/activity-phrases.ts";
import { createOpenBackfill, createYieldBackfill } from "./backfill/open-backfill.ts";
import { createPlanBackfill } from "./backfill/plan-backfill.ts";
import type { Dependencies } from "./dependencies.ts";
import { createCheckInboxes } from "./inbox/check-inboxes.ts";
import { createLookIntoInbox } from "./inbox/look-into-inbox.ts";
import { createPostNotification } from "./notify/post-notification.ts";
import { createRecordUndelivered } from "./notify/record-undelivered.ts";
import { createListDomains } from "./pull/domains.ts";
import { createOpenPull } from "./pull/open.ts";
import { createPullPages } from "./pull/pages.ts";
import { createAdvanceCheckpoint } from "./run/advance-checkpoint.ts";
import { createChooseHost } from "./run/choose-host.ts";
import { createCloseRun } from "./run/close-run.ts";
import { createOpenRun } from "./run/open-run.ts";
import { createLookForDoubts } from "./run/settle-doubts.ts";
import { createApproveHold, createStagedChunk, createWeighRun } from "./run/weigh-run.ts";
import { createDropChunk } from "./stage/drop-chunk.ts";
import { createSplitChunk } from "./stage/split-chunk.ts";
import { createStageChunk } from "./stage/stage-chunk.ts";
import { createCommitChunk } from "./upload/commit-chunk.ts";
import { createConfirmUpload } from "./upload/confirm-upload.ts";
import { createUploadFile } from "./upload/upload-file.ts";
import { createUploadJson } from "./upload/upload-json.ts";
import { createTellVerified, createVerifyReceivers } from "./verify/tell-verified.ts";
import { createVerifySync } from "./verify/verify-sync.ts";

/** Accepts only activities that have a phrase for what they do. */
type Makers = Readonly<Partial<Record<ActivityName, (deps: Dependencies) => unknown>>>;

/** The activities that need no local file: any worker may run them. */
const shared = {
  openRun: createOpenRun,
  planBackfill: createPlanBackfill,
  openBackfill: createOpenBackfill,
  yieldBackfill: createYieldBackfill,
  advanceCheckpoint: createAdvanceCheckpoint,
  chooseHost: createChooseHost,
  confirmUpload: createConfirmUpload,
  commitChunk: createCommitChunk,
  weighRun: createWeighRun,
  approveHold: createApproveHold,
  stagedChunk: createStagedChunk,
  closeRun: createCloseRun,
  postNotification: createPostNotification,
  recordUndelivered: createRecordUndelivered,
  openPull: createOpenPull,
  listDomains: createListDomains,
  pullPages: createPullPages,
  lookForDoubts: createLookForDoubts,
  lookIntoInbox: createLookIntoInbox,
  checkInboxes: createCheckInboxes,
  verifySync: createVerifySync,
  tellVerified: createTellVerified,
  verifyReceivers: createVerifyReceivers,
} satisfies Makers;

/** The activities that read or write staged files: they run on the host that has them. */
const host = {
  stageChunk: createStageChunk,
  uploadJson: createUploadJson,
  uploadFile: createUploadFile,
  splitChunk: createSplitChunk,
  dropChunk: createDropChunk,
} satisfies Makers;

type Maker = (deps: Dependencies) => unknown;
type Made<Table extends Readonly<Record<string, Maker>>> = {
  readonly [Name in keyof Table]: ReturnType<Table[Name]>;
};

function make<Table extends Makers>(makers: Table, deps: Dependencies): Made<Table>;
function make(makers: Readonly<Record<string, Maker>>, deps: Dependencies): object {
  // An overload: a loop cannot show the compiler that each name has its own activity.
  return Object.fromEntries(Object.entries(makers).map(([name, maker]) => [name, maker(deps)]));
}

/** Types of the activities of the shared queue. */
export type SharedActivities = Made<typeof shared>;

/** Types of the activities of a host's queue. */
export type HostActivities = Made<typeof host>;

/** Makes the activities of the shared queue. */
export function createSharedActivities(deps: Dependencies): SharedActivities {
  return make(shared, deps);
}

/** Makes the activities of a host's queue. */
export function createHostActivities(deps: Dependencies): HostActivities {
  return make(host, deps);
}
